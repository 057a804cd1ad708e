// The list of claims, or of recommendations: filtered by document, topic and verdict, searched for text. Without this script it is shown whole.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("div.claims").forEach((list) => {
    const rows = [...list.querySelectorAll("tbody tr")];
    if (rows.length < 12) return; // seen at a glance
    const form = document.createElement("form");
    form.className = "filter";
    form.setAttribute("role", "search");
    form.addEventListener("submit", (event) => event.preventDefault());
    const labelled = (text, control) => {
      const label = document.createElement("label");
      label.append(text, control);
      form.append(label);
      return control;
    };
    const choices = ["document", "topic", "verdict"].map((key) => {
      const select = labelled(key, document.createElement("select"));
      select.name = key;
      const values = [...new Set(rows.map((row) => row.dataset[key]))].sort();
      select.append(new Option("all", ""), ...values.map((value) => new Option(value, value)));
      return select;
    });
    const search = labelled("text", document.createElement("input"));
    search.type = "search";
    search.name = "text";
    const count = document.createElement("output");
    form.append(count);
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const show = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, k) => {
        const chosen = choices.every((select) => !select.value || row.dataset[select.name] === select.value);
        row.hidden = !(chosen && words.every((word) => texts[k].includes(word)));
        shown += !row.hidden;
      });
      count.textContent = `${shown} of ${rows.length} ${list.dataset.what || "claims"}`;
    };
    const linked = () => {
      const row = rows.find((each) => `#${each.id}` === decodeURIComponent(location.hash));
      if (!row) return;
      form.reset();
      show();
      row.querySelectorAll("details").forEach((details) => (details.open = true));
      row.scrollIntoView({ block: "center" });
    };
    const asked = new URLSearchParams(location.search); // a link from another page chooses
    choices.forEach((select) => {
      const value = asked.get(select.name);
      const option = value && [...select.options].find((each) => each.value === value || each.value.endsWith(` ${value}`));
      if (option) select.value = option.value;
    });
    form.addEventListener("input", show);
    window.addEventListener("hashchange", linked);
    list.before(form);
    show();
    linked();
  });
});
