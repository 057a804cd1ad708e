// What scrolls by itself can be reached and scrolled with the keyboard, and has a name: of its table, or of its section.
document.addEventListener("DOMContentLoaded", () => {
  // A group and no landmark: a page of a document has dozens.
  const name = (part) => {
    const words = part.querySelector("caption") ?? part.closest("section")?.querySelector(":is(h1, h2, h3)");
    return words?.firstChild?.textContent.trim() || "Table";
  };
  const mark = () => {
    document.querySelectorAll("article :is(.scroll, div.cell_output, div.output, div.math, pre)").forEach((part) => {
      const scrolls = part.scrollWidth > part.clientWidth;
      if (scrolls && !part.hasAttribute("aria-label")) {
        part.dataset.scrolls = "";
        part.setAttribute("tabindex", "0");
        part.setAttribute("role", "group");
        part.setAttribute("aria-label", `${name(part)}, scrolls sideways`);
      } else if (!scrolls && part.getAttribute("role") === "group") {
        ["data-scrolls", "tabindex", "role", "aria-label"].forEach((each) => part.removeAttribute(each));
      }
    });
  };
  mark();
  window.addEventListener("resize", mark);
  document.addEventListener("toggle", mark, true); // a row that opens may need more room
  document.addEventListener("change", mark);
});
