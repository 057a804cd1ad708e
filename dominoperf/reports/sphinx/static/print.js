// On paper everything is open: what can be folded away is unfolded before printing, and folded again afterwards.
const folded = [];
window.addEventListener("beforeprint", () => {
  folded.push(...document.querySelectorAll("article details:not([open])"));
  folded.forEach((each) => { each.open = true; });
});
window.addEventListener("afterprint", () => folded.splice(0).forEach((each) => { each.open = false; }));
