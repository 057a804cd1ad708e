// The search: pages by what people call them, then sections, printed rows, claims and names, with the words around a hit.
{
  const shown = 40, around = 90;
  const plain = (text) => ` ${text.toLowerCase().replace(/(\d),(?=\d{3})/g, "$1").replace(/(?<![\d.])0+\.(?=\d)/g, ".").replace(/[^\p{L}\p{N}_.]+/gu, " ").replace(/\.(?!\d)/g, " ").trim()} `;
  const stem = (word) => (word.length > 3 && /[a-z]/.test(word) ? word.replace(/(?<!s)s$/, "") : word);
  const found = searchIndex.found.map(([page, anchor, title, text]) => ({ page: searchIndex.pages[page], anchor, title, text, plainTitle: plain(title), plainText: plain(`${title} ${text}`) }));
  const names = new Map(searchIndex.pages.map((page) => [page, page[2].split(";").map((name) => plain(name).trim()).filter(Boolean)]));
  const has = (text, word) => (/^\d/.test(word) ? text.includes(` ${word} `) || text.includes(` .${word} `) : text.includes(` ${stem(word)}`));

  const row = (entry) => /:row\d+$/.test(entry.anchor);
  const cell = (entry, word) => entry.text.split(" · ").some((text) => plain(text).trim() === word);

  const score = (entry, words, phrase) => {
    const called = entry.anchor ? 0 : Math.max(0, ...names.get(entry.page).map((name) =>
      (name === phrase ? 100 : words.every((word) => has(` ${name} `, word)) ? 60 : 0)));
    if (!called && !words.every((word) => has(entry.plainText, word))) return 0;
    const inTitle = words.filter((word) => has(entry.plainTitle, word)).length / words.length;
    return called + 1 + 30 * (entry.plainTitle.trim() === phrase) + 20 * inTitle + 8 * entry.plainText.includes(` ${phrase} `)
      + 4 * !entry.anchor + (row(entry) ? words.filter((word) => /^[.\d]/.test(word)).reduce((sum, word) => sum + (cell(entry, word) ? 35 : 20), 0) - 10 * /\bprose\b/.test(entry.title) : 0) + 2 / (1 + entry.text.length / 500);
  };

  const marked = (text, words) => {
    const lower = text.toLowerCase(), at = words.map((word) => {
      const pattern = /^\d+$/.test(word) ? word.replace(/\B(?=(\d{3})+$)/g, ",?") : stem(word).replace(/[.]/g, "\\.");
      return new RegExp(pattern, "g");
    });
    const first = Math.min(...at.map((each) => { each.lastIndex = 0; return each.exec(lower)?.index ?? Infinity; }));
    const begin = Number.isFinite(first) ? Math.max(0, text.lastIndexOf(" ", Math.max(0, first - around)) + 1) : 0;
    at.forEach((each) => { each.lastIndex = 0; });
    const piece = text.slice(begin, begin + 3 * around), line = document.createElement("p");
    let end = 0;
    line.append(begin ? "… " : "");
    const hits = at.flatMap((each) => [...piece.toLowerCase().matchAll(each)]).sort((a, b) => a.index - b.index);
    for (const hit of hits) {
      if (hit.index < end) continue;
      line.append(piece.slice(end, hit.index), Object.assign(document.createElement("mark"), { textContent: piece.slice(hit.index, hit.index + hit[0].length) }));
      end = hit.index + hit[0].length;
    }
    line.append(piece.slice(end), begin + piece.length < text.length ? " …" : "");
    return line;
  };

  const search = (query) => {
    const phrase = plain(query).trim(), words = phrase.split(" ").filter(Boolean);
    const results = document.getElementById("search-results"), list = document.createElement("ul");
    const hits = words.length ? found.map((entry) => [score(entry, words, phrase), entry]).filter(([points]) => points).sort((a, b) => b[0] - a[0]) : [];
    for (const [, entry] of hits.slice(0, shown)) {
      const [title, address] = entry.page, item = document.createElement("li"), heading = document.createElement("p");
      const link = document.createElement("a");
      link.href = address + (entry.anchor ? `#${encodeURI(entry.anchor)}` : "");
      link.textContent = entry.title.replace(`${title}, `, "") || (/^claim-/.test(entry.anchor) ? "A claim" : title);
      heading.append(link, entry.anchor ? ` in ${title}` : "");
      item.append(heading, marked(entry.text, words));
      list.append(item);
    }
    results.replaceChildren(list);
    document.getElementById("search-count").textContent = !words.length ? "" : hits.length > shown
      ? `The first ${shown} of ${hits.length.toLocaleString("en")} places. A further word narrows them.` : `${hits.length} ${hits.length === 1 ? "place" : "places"}.`;
  };

  const field = document.querySelector(".bd-search-container input[type=search]");
  const asked = new URLSearchParams(location.search).get("q") ?? "";
  field.value = asked;
  field.addEventListener("input", () => {
    search(field.value);
    history.replaceState(null, "", `?${new URLSearchParams({ q: field.value })}`);
  });
  field.form.addEventListener("submit", (event) => event.preventDefault());
  search(asked);
  field.focus();
}
