// What uses a printed row: listed when a reader opens the note beside its place.
let usesData = () => {};
{
  const heads = { page: "Pages", claim: "Claims", erratum: "Errata" };
  let known = { users: [], rows: {} };
  usesData = (data) => { known = data; };
  document.addEventListener("toggle", (event) => {
    const note = event.target;
    if (!note.matches?.("details.uses") || note.querySelector("ul")) return;
    const users = (known.rows[note.closest("tr").id] ?? []).map((number) => known.users[number]);
    for (const [kind, head] of Object.entries(heads)) {
      const those = users.filter((user) => user[0] === kind);
      if (!those.length) continue;
      const list = document.createElement("ul");
      for (const [, words, href] of those) {
        const item = document.createElement("li");
        item.append(Object.assign(document.createElement("a"), { textContent: words, href }));
        list.append(item);
      }
      note.append(Object.assign(document.createElement("p"), { textContent: head }), list);
    }
  }, true);
}
