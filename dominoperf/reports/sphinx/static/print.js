// On paper everything is open: what can be folded away is unfolded before printing, and folded again afterwards. Only the
// rows of long lists stay folded, which would fill a hundred pages.
const folded = [];
window.addEventListener("beforeprint", () => {
  folded.push(...document.querySelectorAll("article details:not([open]):not(.claims details, .still, .uses)"));
  folded.forEach((each) => { each.open = true; });
});
window.addEventListener("afterprint", () => folded.splice(0).forEach((each) => { each.open = false; }));
