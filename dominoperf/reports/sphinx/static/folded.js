// A link to a section that is closed, or to something in it, opens it.
const openTarget = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const closed = [];
  if (target) closed.push(...target.querySelectorAll(":scope > details:not([open])"));
  for (let part = target; (part = part?.parentElement?.closest("details:not([open])")); ) closed.push(part);
  closed.forEach((part) => { part.open = true; });
  if (closed.length) target.scrollIntoView();
};
document.addEventListener("DOMContentLoaded", openTarget);
window.addEventListener("hashchange", openTarget);
