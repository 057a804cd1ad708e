// A picture for a pointer in the place of the still one, in its space: drawn by Vega-Lite of data in the page, when it comes near.
// Marks lead where those of the still picture lead. On paper and without this script the still one stands.
const themeColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const vegaLook = () => {
  const ink = themeColour("--pst-color-text-base"), faint = themeColour("--pst-color-border");
  return { background: "transparent", font: "system-ui, sans-serif", view: { stroke: null },
    axis: { labelColor: ink, titleColor: ink, gridColor: faint, domainColor: ink, tickColor: ink, gridOpacity: 0.6,
      labelFontSize: 13, titleFontSize: 13, titleFontWeight: 400, titlePadding: 14 },
    legend: { labelColor: ink, labelFontSize: 13 } };
};
const vegaHow = { renderer: "svg", actions: false, ast: true }; // an interpreter reads expressions: no text of a page is run
const vegaScript = new URL("../vega.js", document.currentScript.src);

document.addEventListener("DOMContentLoaded", () => {
  const made = (tag, words = "", more = {}) => Object.assign(document.createElement(tag), { textContent: words }, more);
  const parts = (spec) => [spec, ...(spec.layer ?? []).flatMap(parts)];
  // Where Vega looks for its tooltip: in the main part of the page, where a screen reader meets all else; else it makes one outside.
  document.querySelector("main").append(made("div", "", { id: "vg-tooltip-element", className: "vg-tooltip" }));
  let loading;
  const vega = () => (loading ??= new Promise((done, failed) => {
    if (self.vegaEmbed) done();
    else document.head.append(Object.assign(document.createElement("script"), { src: vegaScript, onload: done, onerror: failed }));
  }));

  const table = (rows) => {
    const body = made("tbody");
    for (const row of rows) {
      const cell = made("td"), line = made("tr");
      cell.append(row.href ? made("a", row.words, { href: row.href }) : row.words);
      line.append(cell);
      body.append(line);
    }
    const whole = made("table");
    whole.append(body);
    return whole;
  };

  const draw = async (figure) => {
    const { spec, title, subtitle, foot } = JSON.parse(figure.querySelector("script").textContent);
    figure.querySelector(".pointer")?.remove();
    figure.classList.remove("drawn");
    const still = [...figure.querySelectorAll(":scope > svg")].find((svg) => svg.getBoundingClientRect().width);
    if (!still) return;
    const { width, height } = still.getBoundingClientRect(), narrow = width < 480;
    const hrefs = new Map([...figure.querySelectorAll("a[data-place][href]")].map((each) => [each.dataset.place, each.getAttribute("href")]));
    const rows = parts(spec).flatMap((part) => part.data?.values ?? []).filter((row) => row.words);
    rows.forEach((row) => { row.href = hrefs.get(row.place) ?? (row.asks ? `?${row.asks}` : null); });
    const whole = made("div", "", { className: "pointer" }), place = made("div", "", { className: "chart" });
    const data = made("details"), source = made("p", foot, { className: "foot" });
    data.append(made("summary", "Data of this picture"));
    data.addEventListener("toggle", () => data.querySelector("table") ?? data.append(table(rows)));
    whole.append(made("p", title, { className: "title" }), made("p", subtitle), place, source, data);
    whole.style.width = `${width}px`;
    whole.style.minHeight = `${height}px`;
    figure.append(whole);
    const words = [...whole.children].reduce((sum, each) => sum + (each === place ? 0 : each.getBoundingClientRect().height), 0);
    const look = vegaLook(), small = narrow ? 11 : 12.5;
    // Names at the ends of curves stand where there is room, else a legend explains the curves; those beside points likewise.
    if (narrow) spec.layer = spec.layer.filter((layer) => !parts(layer).some((part) => part.data?.values[0]?.name));
    else if (spec.usermeta.named) spec.layer.forEach(({ mark, encoding }) => { if (mark?.type === "line" && encoding.stroke) encoding.stroke.legend = null; });
    // As many columns as have room: of each legend the widest name in each column counts.
    const legends = parts(spec).map((part) => part.encoding?.stroke).filter((each) => each?.legend).map((each) => each.scale.domain);
    const names = parts(spec).flatMap((part) => (part.encoding?.y?.type === "nominal" ? part.encoding.y.scale.domain : [])).flatMap((name) => name.split("\n"));
    const room = width - 60 - 0.55 * small * Math.max(0, ...names.map((name) => name.length));
    const wide = (names, columns) => [...Array(columns).keys()].reduce((sum, k) => sum + Math.max(0, ...names.filter((_, j) => j % columns === k).map((name) => 0.55 * small * name.length + 34)), 0);
    const columns = [5, 4, 3, 2].find((count) => (narrow ? Math.max(...legends.map((each) => wide(each, count))) : legends.reduce((sum, each) => sum + wide(each, count), 0)) < room) ?? 1;
    Object.assign(look.axis, { labelFontSize: small, titleFontSize: small, titlePadding: 8, grid: false });
    look.text = { color: look.axis.labelColor };
    // Numbers of a logarithmic axis that have room beside each other, from the right.
    if (narrow) parts(spec).map((part) => part.encoding?.x).filter((x) => x?.axis?.values && x.scale.type === "log").forEach(({ axis, scale }) => {
      const [low, high] = scale.domain.map(Math.log);
      let free = Infinity;
      axis.values = axis.values.toReversed().filter((value) => {
        const at = (room * (Math.log(value) - low)) / (high - low), half = 0.3 * small * value.toLocaleString("en").length + 3;
        if (at + half > free) return false;
        free = at - half;
        return true;
      });
    });
    look.axisXDiscrete = { labelAngle: narrow ? -90 : 0 };
    look.legend = { ...look.legend, labelFontSize: small, orient: "bottom", direction: "horizontal", columns, symbolSize: 75, labelLimit: narrow ? width - 70 : 0, rowPadding: 1, offset: 6, padding: 0,
      layout: { bottom: { anchor: "start", direction: narrow ? "vertical" : "horizontal" } } };
    try {
      await vega();
      await vegaEmbed(place, { description: figure.ariaLabel, width, height: height - words - 4, autosize: { type: "fit", contains: "padding" },
        config: look, padding: { left: 2, top: 2, bottom: 2, right: 14 }, ...spec }, vegaHow);
    } catch { whole.remove(); return; } // the still one stays
    figure.classList.add("drawn");
    figure.setAttribute("role", "group");
  };

  const figures = [...document.querySelectorAll("article figure")].filter((each) => each.querySelector("script"));
  const near = new IntersectionObserver((entries) => entries.filter((each) => each.isIntersecting).forEach(({ target }) => {
    near.unobserve(target);
    draw(target);
  }), { rootMargin: "400px" });
  figures.forEach((each) => near.observe(each));
  const again = () => figures.filter((each) => each.matches(".drawn")).forEach(draw);
  let wide = innerWidth;
  window.addEventListener("resize", () => { if (innerWidth !== wide) { wide = innerWidth; again(); } });
  new MutationObserver(again).observe(document.documentElement, { attributeFilter: ["data-theme"] });
});
