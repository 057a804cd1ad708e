// What Voilà's page would run as scripts of its own, in a file: the page's policy lets nothing in it run.
window.voila_heartbeat = () => {};

// Called by Voilà once its styles are there, and by us once the cells are: the later one shows the page.
window.voila_finish = () => {
  if (!window.themeLoaded) {
    window.cellLoaded = true;
    return;
  }
  document.getElementById("loading")?.remove();
  document.getElementById("rendered_cells").style.display = "";
};

const progress = new MutationObserver(() => {
  const cells = document.getElementById("rendered_cells"), words = document.getElementById("loading_text");
  if (!cells || !words) return;
  const told = `Executing ${cells.querySelectorAll("[cell-index]").length} of ${cells.dataset.cells}`;
  if (words.textContent !== told) words.textContent = told; // a change of its own would call it again, for ever
});
progress.observe(document, { childList: true, subtree: true });

document.addEventListener("DOMContentLoaded", () => {
  progress.disconnect();
  if (matchMedia("(prefers-color-scheme: dark)").matches) {
    document.body.dataset.jpThemeLight = "false";
    document.body.classList.replace("theme-light", "theme-dark");
  }
  window.voila_finish();
});
