// A click on a heading sorts its table; a second click turns the order round. Numbers sort as numbers, empty cells last.
document.addEventListener("DOMContentLoaded", () => {
  const number = (text) => (/\d/.test(text) ? Number(text.replace("\u2212", "-").replace(/[$,%\s]|[KMG]B$/g, "")) : NaN);
  const compare = (a, b) => {
    const [x, y] = [number(a), number(b)];
    return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b, "en", { numeric: true }) : x - y;
  };
  document.querySelectorAll("article table thead th:not(.long)").forEach((head) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      const text = (row) => row.cells[head.cellIndex]?.textContent.trim() ?? "";
      const order = (a, b) => (!text(a) || !text(b) ? !text(a) - !text(b) : (up ? 1 : -1) * compare(text(a), text(b)));
      const body = head.closest("table").tBodies[0];
      body.append(...[...body.rows].sort(order));
      head.parentNode.querySelectorAll("th").forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
    });
  });
});
