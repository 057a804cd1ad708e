// Long lists, of claims, recommendations or errata, in pieces of 50; those of claims filtered by document, topic and verdict,
// and searched for text. Without this script they are shown whole; on paper stands the piece that is open.
document.addEventListener("DOMContentLoaded", () => {
  const piece = 50;

  // Shows a piece of what `matches` lets through, and more of it on a click; gives how to show again, and one item for sure.
  const inPieces = (items, place, matches) => {
    const more = Object.assign(document.createElement("button"), { type: "button", className: "more-items" });
    let open = piece;
    place.after(more);
    const show = () => {
      const matching = items.filter(matches);
      const shown = new Set(matching.slice(0, open));
      items.forEach((item) => { item.hidden = !shown.has(item); });
      const left = matching.length - shown.size;
      more.hidden = !left;
      more.textContent = `Show ${Math.min(piece, left)} more (${left} are not shown)`;
      return matching.length;
    };
    more.addEventListener("click", () => {
      open += piece;
      const first = items.filter(matches)[open - piece];
      show();
      first?.querySelector("summary, a")?.focus();
    });
    return {
      begin: () => { open = piece; return show(); },
      reveal: (item) => { open = Math.max(open, piece * Math.ceil((items.filter(matches).indexOf(item) + 1) / piece)); show(); },
    };
  };

  const followHash = (items, list, before) => {
    const linked = () => {
      const item = items.find((each) => `#${each.id}` === decodeURIComponent(location.hash));
      if (!item) return;
      before();
      list.reveal(item);
      item.querySelectorAll("details").forEach((details) => { details.open = true; });
      item.scrollIntoView({ block: "center" });
    };
    window.addEventListener("hashchange", linked);
    linked();
  };

  document.querySelectorAll("div.claims").forEach((whole) => {
    const rows = [...whole.querySelectorAll("tbody tr")];
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
      const words = new Map(rows.map((row) => [row.dataset[key], row.dataset[`${key}Words`] ?? row.dataset[key]]));
      const values = [...words.keys()].sort((a, b) => words.get(a).localeCompare(words.get(b)));
      select.append(new Option("all", ""), ...values.map((value) => new Option(words.get(value), value)));
      return select;
    });
    const search = labelled("text", document.createElement("input"));
    search.type = "search";
    search.name = "text";
    const count = document.createElement("output");
    form.append(count);
    const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    const matches = (row) => choices.every((select) => !select.value || row.dataset[select.name] === select.value)
      && search.value.toLowerCase().split(/\s+/).every((word) => texts.get(row).includes(word));
    const list = inPieces(rows, whole, matches);
    const show = () => { count.textContent = `${list.begin()} of ${rows.length} ${whole.dataset.what || "claims"}`; };
    const asked = new URLSearchParams(location.search); // a link from another page chooses
    choices.forEach((select) => {
      const value = asked.get(select.name);
      // In older links a document has its year before it.
      const option = value && [...select.options].find((each) => each.value && ` ${value}`.endsWith(` ${each.value}`));
      if (option) select.value = option.value;
    });
    search.value = asked.get("text") ?? "";
    form.addEventListener("input", show);
    whole.before(form);
    show();
    if (choices.some((select) => select.value) || search.value) {
      for (let part = form; (part = part.parentElement.closest("details")); ) part.open = true;
      form.scrollIntoView();
    }
    followHash(rows, list, () => { form.reset(); show(); });
  });

  const errata = [...document.querySelectorAll("section.erratum")];
  if (errata.length > piece) {
    const list = inPieces(errata, errata.at(-1), () => true);
    list.begin();
    followHash(errata, list, () => {});
  }
});
