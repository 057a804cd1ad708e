// The panels of the explore page: answers computed ahead, chosen by controls, drawn by Vega-Lite, kept in the address.
// What stands in an address is looked up among what the controls offer; anything else in it is ignored.
const answers = {};
const exploreData = (name, data) => { answers[name] = data; };

document.addEventListener("DOMContentLoaded", () => {
  const text = (number) => (number === null || number === undefined ? "–"
    : (Math.abs(number) >= 1000 ? Math.round(number).toLocaleString("en") : String(Number(number.toPrecision(3)))).replace(/^-/, "−"));
  const made = (tag, words = "", more = {}) => Object.assign(document.createElement(tag), { textContent: words }, more);
  const colour = themeColour;
  const offer = (select, pairs) => {
    const old = select.value;
    select.replaceChildren(...pairs.map(([words, value]) => new Option(words, value)));
    if (pairs.some(([, value]) => String(value) === old)) select.value = old;
  };
  const choose = (select, value) => {
    if (select && [...select.options].some((option) => option.value === String(value))) select.value = value;
  };

  const table = (heads, rows, caption) => {
    const body = made("tbody");
    for (const row of rows) {
      const line = made("tr");
      for (const cell of row) {
        const td = made("td");
        td.append(cell instanceof Node ? cell : String(cell));
        if (typeof cell === "string" && /^[-–\d]/.test(cell)) td.className = "number";
        line.append(td);
      }
      body.append(line);
    }
    const head = made("tr");
    head.append(...heads.map((words) => made("th", words, { scope: "col" })));
    const whole = document.createElement("table");
    whole.append(made("caption", caption), made("thead"), body);
    whole.tHead.append(head);
    const scroll = made("div", "", { className: "scroll" });
    scroll.append(whole);
    return scroll;
  };

  const link = (words, href) => (href ? made("a", words, { href }) : words);
  const machine = (near) => link(`${near.system}, ${near.users} users`, near.href);
  const range = (low, high) => (low == null ? "–" : `${text(low)} to ${text(high)}`);

  // The answer in words, which the picture has too, and what stands below it.
  const tell = (panel, words, ...more) => {
    panel.querySelector(".said").textContent = words;
    panel.querySelector(".more").replaceChildren(...more);
  };
  const list = (panel, ...tables) => {
    const box = panel.querySelector(".numbers");
    box.replaceChildren(box.querySelector("summary"), ...tables);
  };
  // The lists of plain values, and at first what the page begins with.
  const offerValues = (form, data, names) => {
    for (const name of names) offer(form[name], data[name].map((value) => [typeof value === "number" ? text(value) : value, value]));
    if (!form.dataset.ready) Object.entries(data.start).forEach(([name, value]) => choose(form[name], value));
    form.dataset.ready = "yes";
  };
  const read = (form, names) => names.map((name) => [name, form[name].value]);

  const draw = (panel, spec, words) => {
    const place = panel.querySelector(".drawing");
    vegaEmbed(place, { description: words, autosize: { type: "fit-x", contains: "padding" }, config: vegaLook(), ...spec }, vegaHow);
  };

  const panels = {
    fit: {
      options(form, data) {
        offer(form.series, data.series.map((each) => [each.short, each.name]));
        const series = data.series[form.series.selectedIndex];
        const most = "1".repeat(series.points.length);
        offer(form.law, series.laws.map((law) => [law.title + (typeof law.fits[most] === "string" ? " (needs more)" : ""), law.name]));
        offer(form.level, data.levels.map((level) => [`${100 * level} %`, 100 * level]));
        offer(form.at, series.asked.map((x) => [text(x), x]));
        const box = form.querySelector("fieldset");
        if (box.dataset.series === series.name) return;
        const first = !box.dataset.series;
        box.dataset.series = series.name;
        box.querySelectorAll("label").forEach((each) => each.remove());
        series.points.forEach((point, k) => {
          const tick = made("label");
          tick.append(made("input", "", { type: "checkbox", name: "point", value: k + 1, checked: true }), ` ${point.words}`);
          box.append(tick);
        });
        if (first) form.law.value = "amdahl";
        if (first) form.level.value = 95;
        const beyond = series.asked.find((x) => x > Math.max(...series.points.map((point) => point.x)));
        form.at.value = beyond ?? series.asked.at(-1);
      },
      read(form) {
        const out = [...form.querySelectorAll("[name=point]")].filter((tick) => !tick.checked).map((tick) => tick.value);
        const chosen = read(form, ["series", "law", "level", "axes", "at"]);
        return out.length ? [...chosen, ["out", out.join(",")]] : chosen;
      },
      set(form, asked) {
        const out = (asked.get("out") ?? "").split(",");
        form.querySelectorAll("[name=point]").forEach((tick) => { tick.checked = !out.includes(tick.value); });
      },
      show(panel, form, data) {
        const series = data.series[form.series.selectedIndex], law = series.laws[form.law.selectedIndex];
        const taken = [...form.querySelectorAll("[name=point]")].map((tick) => tick.checked);
        const none = taken.includes(true) ? "Of so many points only one at a time can be left out here." : "Tick the points to fit.";
        const fit = law.fits[taken.map(Number).join("")] ?? none;
        const level = data.levels[form.level.selectedIndex], of = fit.levels?.[form.level.selectedIndex];
        const at = Number(form.at.value), k = series.grid.indexOf(at), last = Math.max(...series.points.filter((_, j) => taken[j]).map((p) => p.x));
        let said = "No curve goes through these points.";
        if (fit.curve) {
          const band = of.band?.[k];
          const within = band?.[0] == null ? "no interval can be given" : `${100 * level} % interval ${range(...band)}, if the law holds`;
          said = `At ${series.x} = ${text(at)}: ${series.y} = ${text(fit.curve[k])} (${within})${at > last ? "; beyond what was measured" : ""}.`;
        }
        tell(panel, said, `${series.title}. `, of?.words ?? fit);
        const reach = Math.max(at, ...series.points.map((point) => point.x)), logs = form.axes.value;
        const curve = fit.curve ? series.grid.map((x, j) => ({ x, y: fit.curve[j], low: of.band?.[j]?.[0], high: of.band?.[j]?.[1], beyond: x > last }))
          .filter((row) => row.x <= reach && row.y !== null) : [];
        const positive = curve.map((row) => (/logy|log$/.test(logs) && row.low <= 0 ? { ...row, low: null } : row)).filter((row) => !/logy|log$/.test(logs) || row.y > 0);
        const split = positive.filter((row) => !row.beyond).at(-1);
        const points = series.points.map((point, j) => ({ ...point, kind: taken[j] ? "fitted" : "left out", printed: point.place }));
        const scale = (log) => ({ type: log ? "log" : "linear", nice: true, zero: !log });
        const x = { field: "x", type: "quantitative", title: series.x, scale: scale(/logx|log$/.test(logs)), axis: { tickCount: 6, ...(series.whole ? { tickMinStep: 1, format: "d" } : {}) } };
        const y = { field: "y", type: "quantitative", title: series.y, scale: scale(/logy|log$/.test(logs)), axis: { tickCount: 6 } };
        const ink = colour("--pst-color-text-base"), mark = colour("--pst-color-primary");
        const tips = (rows) => rows.map(([field, title, kind = "quantitative"]) => ({ field, title, type: kind, ...(kind === "quantitative" ? { format: ",.4~r" } : {}) }));
        const curveTips = tips([["x", series.x], ["y", law.title], ["low", "from"], ["high", "to"]]);
        draw(panel, { width: "container", height: 320, layer: [
          { data: { values: positive.filter((row) => row.low != null && row.high != null) }, mark: { type: "area", opacity: 0.18, color: mark, aria: false },
            encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" } } },
          { data: { values: positive.filter((row) => !row.beyond) }, mark: { type: "line", color: mark, strokeWidth: 2, aria: false }, encoding: { x, y, tooltip: curveTips } },
          { data: { values: [split, ...positive.filter((row) => row.beyond)].filter(Boolean) }, mark: { type: "line", color: mark, strokeWidth: 2, strokeDash: [6, 4], aria: false }, encoding: { x, y, tooltip: curveTips } },
          { data: { values: positive.filter((row) => row.x === at) }, mark: { type: "point", shape: "diamond", size: 130, color: mark, filled: true, description: said }, encoding: { x, y, tooltip: curveTips } },
          { data: { values: points }, mark: { type: "point", size: 110, strokeWidth: 2, color: ink, cursor: "pointer" },
            encoding: { x, y, href: { field: "href" }, fill: { condition: { test: "datum.kind == 'fitted'", value: ink }, value: "transparent" },
              tooltip: tips([["x", series.x], ["y", series.y], ["kind", "This point is", "nominal"], ["printed", "Printed", "nominal"]]) } },
        ] }, `${said} Points: ${points.map((point) => `${point.words}, ${point.kind}`).join("; ")}.`);
        const rows = series.points.map((point, j) => {
          const here = fit.curve?.[series.grid.indexOf(point.x)];
          return [text(point.x), text(point.y), text(here), here == null ? "–" : text(point.y - here), taken[j] ? "yes" : "no", link(point.place, point.href)];
        });
        const numbers = [...series.notes.map((note) => made("p", note)), table([series.x, series.y, "Curve", "Point minus curve", "Fitted", "Printed in"], rows, "Points")];
        if (fit.curve) {
          numbers.push(table(["Parameter", "Unit", "Estimate", `${100 * level} % interval`, "Note"], fit.terms.map(([term, unit, estimate, reason], j) => [term.replaceAll("_", " "), unit === "1" ? "" : unit, estimate,
            of.terms[j].every(Boolean) ? `${of.terms[j][0]} to ${of.terms[j][1]}` : "–", reason]), `${law.title}: ${law.formula}`));
          numbers.push(table([series.x, "Forecast", `${100 * level} % interval`], series.asked.map((value) => {
            const j = series.grid.indexOf(value), ends = of.band?.[j];
            return [text(value), text(fit.curve[j]), range(...(ends ?? []))];
          }), "Forecasts"));
        }
        list(panel, ...numbers);
        const out = taken.flatMap((yes, j) => (yes ? [] : [j])), drop = out.length ? `.drop([${out.join(", ")}])` : "";
        panel.querySelector(".again code").textContent = `fit("${law.name}", runs.series("${series.name}")${drop}, level=${level}).predict([${at}])`;
        panel.querySelector(".again kbd").textContent = `dominoperf fit ${law.name} ${series.name} --at ${at} --level ${level}`;
      },
    },

    capacity: {
      options(form, data) {
        offer(form.workload, Object.keys(data.answers).map((name) => [name.replaceAll("_", " "), name]));
        offerValues(form, data, ["processor", "processors", "ram_mb", "drives"]);
      },
      read: (form) => read(form, ["workload", "processor", "processors", "ram_mb", "drives"]),
      show(panel, form, data) {
        const sizes = [data.processors, data.ram_mb, data.drives].map((values) => values.length);
        const answer = (count) => {
          const place = ((form.processor.selectedIndex * sizes[0] + count) * sizes[1] + form.ram_mb.selectedIndex) * sizes[2] + form.drives.selectedIndex;
          const [users, low, high, binds, recommended, near, note, limit] = data.answers[form.workload.value][place];
          return { processors: data.processors[count], users, low, high, recommended, note: data.notes[note], first_out: data.first_out[binds], near: data.nearest[near], binds: data.binds[binds], limit: data.binds[limit], chosen: count === form.processors.selectedIndex };
        };
        const all = data.processors.map((_, count) => answer(count)), here = all[form.processors.selectedIndex];
        const name = form.workload.value.replaceAll("_", " ");
        const said = here.users === null ? "No capacity is known of this machine."
          : `${form.processors.value} x ${form.processor.value}, ${text(Number(form.ram_mb.value))} MB, ${form.drives.value} data drives of ${data.drive_gb} GB: ${text(here.users)} ${name} users; 95 % interval ${text(here.low)} to ${text(here.high)}, for a new test of such a machine.`;
        tell(panel, said, `${here.first_out} For a plan count on ${text(here.recommended)} users: ${here.limit === "processor" ? `with them the processor is ${data.busy} % busy` : `limited by ${here.limit}`}. ${here.note} With ${data.about}.`,
          ...(here.near ? [" Nearest measured machine: ", machine(here.near), "."] : []));
        const x = { field: "processors", type: "ordinal", title: "Processors", axis: { labelAngle: 0 } }, ink = colour("--pst-color-text-base"), mark = colour("--pst-color-primary");
        const scale = { zero: true, nice: true }, padding = { right: 30 }, tooltip = [["processors", "Processors"], ["users", "Users"], ["low", "from"], ["high", "to"], ["binds", "First to run out"]]
          .map(([field, title]) => ({ field, title, ...(field === "binds" || field === "processors" ? { type: "nominal" } : { type: "quantitative", format: "," }) }));
        draw(panel, { width: "container", height: 300, padding, data: { values: all.filter((row) => row.users !== null) }, layer: [
          { mark: { type: "rule", strokeWidth: 3, opacity: 0.5, color: mark, aria: false }, encoding: { x, y: { field: "low", type: "quantitative", title: `${name} users`, scale }, y2: { field: "high" }, tooltip } },
          { mark: { type: "point", size: 140, strokeWidth: 2, color: mark }, encoding: { x, y: { field: "users", type: "quantitative", title: `${name} users`, scale }, tooltip,
            fill: { condition: { test: "datum.chosen", value: mark }, value: colour("--pst-color-background") } } },
          { mark: { type: "text", align: "left", dx: 11, color: ink, fontSize: 13, aria: false }, encoding: { x, y: { field: "users", type: "quantitative", scale }, text: { field: "users", type: "quantitative", format: "," } } },
        ] }, `${said} By number of processors: ${all.map((row) => `${row.processors}: ${text(row.users)} (${text(row.low)} to ${text(row.high)})`).join("; ")}.`);
        list(panel, table(["Processors", `${name} users`, "95 % interval", "First to run out", "Users to plan for", "Limited by", "Nearest measured machine"],
          all.map((row) => [text(row.processors), text(row.users), range(row.low, row.high), row.binds, text(row.recommended), row.limit, row.near ? machine(row.near) : "–"]), "The machine with another number of processors"));
        const [, clock] = form.processor.value.match(/(\d+) MHz/) ?? [], [, size, unit] = form.processor.value.match(/(\d+) (KB|MB) cache/) ?? [];
        panel.querySelector(".again kbd").textContent = `dominoperf capacity --processors ${form.processors.value} --clock ${clock} --l2 ${unit === "MB" ? size * 1024 : size} --ram ${form.ram_mb.value} --drives ${form.drives.value} --workload ${form.workload.value} --family '${form.processor.value.split(/ \d/)[0]}' ${data.runs_on}`;
      },
    },

    plan: {
      options: (form, data) => offerValues(form, data, ["light_mail", "active", "groupware"]),
      read: (form) => read(form, ["light_mail", "active", "groupware", "critical"]),
      show(panel, form, data) {
        const place = ((form.light_mail.selectedIndex * data.active.length + form.active.selectedIndex) * data.groupware.length + form.groupware.selectedIndex) * 2 + form.critical.selectedIndex;
        const rules = ["The document's rules", "The corrected rules"], both = data.answers[place];
        const heads = ["Servers", "Memory, MB", "Drives", "Price, $"];
        const bought = (plan) => `${text(plan[0])} ${plan[0] === 1 ? "server" : "servers"} with ${text(plan[1])} MB of memory and ${text(plan[2])} drives${plan[3] === null ? "" : ` for $${text(plan[3])}`}`;
        const plans = both.filter(Array.isArray);
        const said = !plans.length ? "Neither set of rules gives a plan for this company."
          : plans.length === 2 && String(both[0]) === String(both[1]) ? `Both sets of rules buy ${bought(both[0])}.`
            : `${both.map((plan, k) => (Array.isArray(plan) ? `${rules[k]} buy ${bought(plan)}` : "")).filter(Boolean).join("; ").replace("; The", "; the")}.`;
        tell(panel, said, [...new Set(both.filter((plan) => !Array.isArray(plan))), ...(plans.length ? [`Each server a ${data.system}; ${data.databases} shared databases.`] : []),
          ...(plans.some((plan) => plan[3] !== null) ? ["The price is of the servers as tested: drives and memory beyond theirs are not in it."] : [])].join(" "));
        const ink = colour("--pst-color-text-base"), marks = [colour("--pst-color-primary"), colour("--mark")];
        const small = panel.clientWidth < 560;
        const bars = heads.map((head, k) => ({ title: { text: head, color: ink, fontSize: 13, fontWeight: 600, anchor: "start" }, width: 135, height: 150,
          data: { values: both.flatMap((plan, j) => (Array.isArray(plan) && plan[k] !== null ? [{ rules: rules[j], short: j ? "corrected" : "document", value: plan[k] }] : [])) },
          encoding: { x: { field: "short", type: "nominal", title: null, sort: null, axis: { labelAngle: 0, labelFontSize: 11.5 } }, y: { field: "value", type: "quantitative", title: null, axis: null } },
          layer: [
            { mark: { type: "bar", width: { band: 0.6 } }, encoding: { color: { field: "short", type: "nominal", scale: { domain: ["document", "corrected"], range: marks }, legend: null },
              tooltip: [{ field: "rules", title: "Rules", type: "nominal" }, { field: "value", title: head, type: "quantitative", format: ",.0f" }] } },
            { mark: { type: "text", dy: -7, color: ink, aria: false, fontSize: 12 }, encoding: { text: { field: "value", type: "quantitative", format: ",.0f" } } },
          ] }));
        const rows = small ? [bars.slice(0, 2), bars.slice(2)] : [bars];
        draw(panel, { autosize: "pad", vconcat: rows.map((row) => ({ hconcat: row, spacing: 30 })), spacing: 24 }, said);
        list(panel, table(["Rules", ...heads],
          both.flatMap((plan, j) => (Array.isArray(plan) ? [[rules[j], ...plan.map(text)]] : [])), "What is bought"));
      },
    },
  };

  const update = (name, told) => {
    const panel = document.getElementById(`panel-${name}`), form = panel.querySelector("form");
    panels[name].options(form, answers[name]);
    panels[name].show(panel, form, answers[name]);
    if (told) history.replaceState(null, "", `#${new URLSearchParams([["panel", name], ...panels[name].read(form)])}`);
  };

  const linked = () => {
    const asked = new URLSearchParams(location.hash.slice(1)), name = asked.get("panel");
    if (!Object.hasOwn(panels, name ?? "")) return;
    const panel = document.getElementById(`panel-${name}`), form = panel.querySelector("form");
    choose(form.series, asked.get("series"));
    panels[name].options(form, answers[name]);
    for (const [key, value] of asked) if (form[key] instanceof HTMLSelectElement) choose(form[key], value);
    panels[name].set?.(form, asked);
    panels[name].show(panel, form, answers[name]);
    panel.scrollIntoView({ block: "start" });
  };

  const there = Object.keys(panels).filter((name) => answers[name] && document.getElementById(`panel-${name}`));
  there.forEach((name) => {
    const form = document.querySelector(`#panel-${name} form`);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => update(name, true));
    update(name, false);
  });
  linked();
  window.addEventListener("hashchange", linked);
  new MutationObserver(() => there.forEach((name) => update(name, false))).observe(document.documentElement, { attributeFilter: ["data-theme"] });
});
