// A table with many columns: the first ones that a reader wants, the others on request; a table with many rows: a filter.
document.addEventListener("DOMContentLoaded", () => {
  const first = ["system", "processor", "processors", "ram_mb", "workload", "users", "response_s", "cpu_utilization_percent", "price_per_user_usd", "locator"];
  const many = 12, long = 20, shown = 9;
  document.querySelectorAll("article table").forEach((table) => {
    if (table.closest(".claims, .views, details.still, .live")) return;
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])], rows = [...(table.tBodies[0]?.rows ?? [])];
    if (heads.length < many) return;
    const form = Object.assign(document.createElement("form"), { className: "filter columns" });
    form.addEventListener("submit", (event) => event.preventDefault());
    if (rows.length >= long) {
      const label = document.createElement("label");
      const field = Object.assign(document.createElement("input"), { type: "search", name: "rows" });
      const count = document.createElement("output"), texts = rows.map((row) => row.textContent.toLowerCase());
      const filter = () => {
        const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
        let left = 0;
        rows.forEach((row, k) => { row.hidden = !words.every((word) => texts[k].includes(word)); left += !row.hidden; });
        count.textContent = `${left} of ${rows.length} rows`;
      };
      label.append("Only rows with", field);
      form.append(label, count);
      field.addEventListener("input", filter);
      filter();
    }
    const wanted = heads.filter((head) => first.includes(head.dataset.name));
    const begin = wanted.length > 4 ? wanted : heads.slice(0, shown);
    const box = document.createElement("details"), list = document.createElement("div");
    const summary = document.createElement("summary");
    const show = () => {
      const on = heads.map((_, k) => list.querySelectorAll("input")[k].checked);
      [...table.rows].forEach((row) => [...row.cells].forEach((cell, k) => { cell.hidden = !on[k]; }));
      table.style.setProperty("--columns", heads.filter((head, k) => on[k] && !head.classList.contains("long")).length);
      summary.textContent = `Columns: ${on.filter(Boolean).length} of ${heads.length} are shown`;
    };
    heads.forEach((head) => {
      const label = document.createElement("label");
      const tick = Object.assign(document.createElement("input"), { type: "checkbox", checked: begin.includes(head) });
      label.append(tick, ` ${head.textContent.trim()}`);
      list.append(label);
    });
    list.className = "ticks";
    list.addEventListener("input", show);
    box.append(summary, list);
    form.append(box);
    (table.closest(".scroll") ?? table).before(form);
    table.classList.add("chosen");
    show();
  });
});
