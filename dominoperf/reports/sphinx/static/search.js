// The search: pages by what people call them, then sections, printed rows, claims and names, with the words around a hit.
{
  const shown = 40, around = 90;
  const plain = (text) => ` ${text.toLowerCase().replace(/(\d),(?=\d{3})/g, "$1").replace(/(?<![\d.])0+\.(?=\d)/g, ".").replace(/[^\p{L}\p{N}_.]+/gu, " ").replace(/\.(?!\d)/g, " ").trim()} `;
  const stem = (word) => (word.length > 4 && /[a-z]/.test(word) ? word.replace(/(ies|y|(?<!s)s)$/, "") : word);
  const filler = new Set("a an and are at be by can do does for from have how i if in is it its many me much my of on or s should that the there this to was we what when where which who why will with would x you your".split(" "));
  const wordsOf = (phrase) => {
    const all = phrase.split(" ").filter(Boolean), told = all.filter((word) => !filler.has(word));
    return [...new Set(told.length ? told : all)];
  };
  const found = searchIndex.found.map(([page, anchor, title, text]) => ({ page: searchIndex.pages[page], anchor, title, text, plainTitle: plain(title), plainText: plain(`${title} ${searchIndex.pages[page][0]} ${text}`) }));
  const names = new Map(searchIndex.pages.map((page) => [page, page[2].split(";").map((name) => plain(name).trim()).filter(Boolean)]));
  const has = (text, word) => (/^[\d.]/.test(word) ? text.includes(` ${word} `) || text.includes(` .${word} `) : text.includes(` ${stem(word)}`));
  const row = (entry) => /:row\d+$/.test(entry.anchor);
  const cell = (entry, word) => entry.text.split(" · ").some((text) => plain(text).trim() === word);

  // A rare word weighs more; a place needs not all of them, but two fifths of their weight. A page counts the words of all its places.
  const rank = (phrase) => {
    const words = wordsOf(phrase), parts = found.map((entry) => words.map((word) => has(entry.plainText, word)));
    const weights = words.map((_, k) => Math.log(1 + found.length / (parts.filter((part) => part[k]).length || 20)));
    const whole = weights.reduce((sum, weight) => sum + weight, 0), onPage = new Map();
    parts.forEach((part, k) => onPage.set(found[k].page, part.map((is, w) => is || Boolean(onPage.get(found[k].page)?.[w]))));
    const called = (page) => {
      const own = names.get(page).map(wordsOf), said = (name) => name.every((word) => has(` ${phrase} `, word));
      if (names.get(page).includes(phrase)) return 200;
      if (names.get(page).some((name) => words.every((word) => has(` ${name} `, word)))) return 70;
      return Math.max(0, ...own.filter((name) => name.length > 1 && said(name)).map((name) => 60 + 5 * name.length), Math.min(50, 25 * own.filter((name) => name.length === 1 && said(name)).length));
    };
    const score = (entry, k) => {
      const named = entry.anchor ? 0 : called(entry.page), told = entry.anchor ? parts[k] : onPage.get(entry.page);
      const shareOf = (some) => some.reduce((sum, is, w) => sum + is * weights[w], 0) / whole, share = shareOf(told);
      if (!named && share < 0.4) return 0;
      const inTitle = words.reduce((sum, word, w) => sum + has(entry.plainTitle, word) * weights[w], 0) / whole;
      const cells = row(entry) ? words.filter((word) => /^[.\d]/.test(word)).reduce((sum, word) => sum + (parts[k][words.indexOf(word)] ? (cell(entry, word) ? 35 : 20) / words.length : 0), 0) - 10 * /\bprose\b/.test(entry.title) : 0;
      return named + 30 * share ** 2 + 20 * inTitle + 30 * (entry.plainTitle.trim() === phrase) + 8 * entry.plainText.includes(` ${phrase} `) + (entry.anchor ? 2 / (1 + entry.text.length / 500) : 4 + shareOf(parts[k])) + cells; // of the pieces of a page the first that has most
    };
    const hits = whole ? found.map((entry, k) => [score(entry, k), entry]).filter(([points]) => points > 0).sort((a, b) => b[0] - a[0]) : [];
    const places = new Map(); // a long section is in several pieces, of which the best is shown
    for (const hit of hits) {
      const place = `${hit[1].page[1]}#${hit[1].anchor}`;
      if (!places.has(place)) places.set(place, hit);
    }
    return { words, hits: [...places.values()] };
  };

  const marked = (text, words) => {
    const lower = text.toLowerCase(), at = words.map((word) => {
      const pattern = /^\d+$/.test(word) ? word.replace(/\B(?=(\d{3})+$)/g, ",?") : stem(word).replace(/[.]/g, "\\.");
      return new RegExp(/^\d/.test(word) ? `(?<![\\p{L}\\d.,])${pattern}(?![\\p{L}\\d])` : `(?<!\\p{L})${pattern}`, "gu");
    });
    const places = at.flatMap((each, word) => [...lower.matchAll(each)].map((hit) => [hit.index, word])).sort((a, b) => a[0] - b[0]);
    const near = (index) => new Set(places.filter(([place]) => place >= index && place < index + 2 * around).map(([, word]) => word)).size;
    const [first] = places.reduce((best, [index]) => (near(index) > best[1] ? [index, near(index)] : best), [0, 0]);
    const begin = Math.max(0, text.lastIndexOf(" ", Math.max(0, first - around)) + 1);
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
    const { words, hits } = rank(plain(query).trim());
    const results = document.getElementById("search-results"), list = document.createElement("ul");
    for (const [, entry] of hits.slice(0, shown)) {
      const [title, address] = entry.page, item = document.createElement("li"), heading = document.createElement("p");
      const link = document.createElement("a");
      link.href = address + (entry.anchor ? `#${encodeURI(entry.anchor)}` : "");
      const first = row(entry) ? entry.text.split(" · ")[0] : "", place = entry.title.replace(`${title}, `, "");
      link.textContent = [/\p{L}/u.test(first) ? first : "", place].filter(Boolean).join(", ") || (/^claim-/.test(entry.anchor) ? "A claim" : title);
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
