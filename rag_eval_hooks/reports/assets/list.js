// The list of runs: filter, sort, and the way from the list to a run and back.

const PAGE_SIZE = 100;
const runs = INDEX.runs.map((run, number) => ({
  ...run, number, text: [run.q, run.a, run.id, ...run.tags].join("\n").toLowerCase(),
}));
const state = { text: "", cause: "", finding: "", status: "", kind: "", tag: "", measure: "", most: "", sort: "given" };
let visible = runs;
let shownRows = PAGE_SIZE;
let listScroll = 0;
let openRun = null;

const measureNames = [...new Set(runs.flatMap((run) => Object.keys(run.measures)))];
const measured = (name) => (run) => own(run.measures, name) ?? Infinity;
const precision = measureNames.find((name) => name.startsWith("ContextPrecision"));

// Runs with the same first cause stand together, the most frequent cause first.
const CAUSES = counts(runs.map((run) => run.cause).filter(Boolean)).map(([kind]) => kind);

const bad = (run) => run.verdicts.filter((verdict) => verdict === "unsupported" || verdict === "conflict").length;
const SORTS = {
  given: ["as recorded", null],
  cause: ["first cause", (run) => (run.cause === null ? Infinity : CAUSES.indexOf(run.cause))],
  findings: ["most findings", (run) => -run.findings.length],
  unbacked: ["most unbacked claims", (run) => -bad(run)],
  newest: ["newest", (run) => (run.started === null ? Infinity : -run.started)],
  slowest: ["slowest", (run) => (run.ms === null ? Infinity : -run.ms)],
};
for (const name of measureNames) SORTS[`low:${name}`] = [`lowest ${name}`, measured(name)];

function matches(run) {
  if (state.text && !state.text.toLowerCase().split(/\s+/).every((word) => run.text.includes(word))) return false;
  if (state.cause === "*" ? run.cause === null : state.cause === "-" ? run.cause !== null : state.cause && run.cause !== state.cause) return false;
  if (state.finding === "*" ? !run.findings.length : state.finding === "-" ? run.findings.length : state.finding && !run.findings.includes(state.finding)) return false;
  if (state.status && run.status !== state.status) return false;
  if (state.kind && run.kind !== state.kind) return false;
  if (state.tag && !run.tags.includes(state.tag)) return false;
  if (state.measure) {
    const value = own(run.measures, state.measure) ?? null;
    if (state.most === "") return value === null;
    if (value === null || value > Number(state.most)) return false;
  }
  return true;
}

/** The options of a select: each value that occurs, how often, most frequent first. */
function counts(values) {
  const found = new Map();
  for (const value of values) found.set(value, (found.get(value) || 0) + 1);
  return [...found].sort((a, b) => b[1] - a[1]);
}

function choose(name, label, options) {
  const select = el("select", { id: `f-${name}`, name }, options.map(([value, words]) => el("option", { value }, words)));
  select.value = state[name];
  select.addEventListener("change", () => change({ [name]: select.value }));
  return el("label", { class: `field field-${name}`, for: `f-${name}` }, el("span", {}, label), select);
}

function controls() {
  const search = el("input", { type: "search", id: "f-text", name: "text", placeholder: "question, answer, id, tags" });
  search.addEventListener("input", () => change({ text: search.value.trim() }));
  const most = el("input", { type: "number", id: "f-most", name: "most", min: "0", max: "1", step: "0.05", inputmode: "decimal", placeholder: "n/a" });
  most.addEventListener("input", () => change({ most: most.value }));
  const low = precision ? button({ class: "quick", "aria-pressed": "false", id: "f-low" }, () => {
    const on = state.measure === precision && state.most === "0.5";
    change(on ? { measure: "", most: "" } : { measure: precision, most: "0.5", sort: `low:${precision}` });
  }, `${precision} ≤ 0.5`) : null;
  const titles = (kind) => (INDEX.findings[kind] ? INDEX.findings[kind][0] : kind);
  const tags = counts(runs.flatMap((run) => [...new Set(run.tags)]));
  return el("form", { class: "filters", role: "search" },
    el("label", { class: "field field-text", for: "f-text" }, el("span", {}, "Search"), search),
    choose("cause", "First cause", [["", "any or none"], ["*", "any first cause"], ["-", "no first cause"],
      ...counts(runs.map((run) => run.cause).filter(Boolean)).map(([kind, count]) => [kind, `${titles(kind)} (${count})`])]),
    choose("finding", "Finding", [["", "any or none"], ["*", "any finding"], ["-", "no finding"],
      ...counts(runs.flatMap((run) => run.findings)).map(([kind, count]) => [kind, `${titles(kind)} (${count})`])]),
    choose("kind", "Answer", [["", "any"], ...counts(runs.map((run) => run.kind)).map(([kind, count]) =>
      [kind, `${{ answer: "answer", refusal: "refusal", empty: "no answer" }[kind] || kind} (${count})`])]),
    choose("status", "Run", [["", "any"], ...counts(runs.map((run) => run.status)).map(([status, count]) => [status, `${INDEX.statuses[status] || status} (${count})`])]),
    tags.length ? choose("tag", "Tag", [["", "any"], ...tags.map(([tag, count]) => [tag, `${tag} (${count})`])]) : null,
    measureNames.length ? el("div", { class: "pair" },
      choose("measure", "Measure", [["", "any"], ...measureNames.map((name) => [name, name])]),
      el("label", { class: "field field-most", for: "f-most" }, el("span", {}, "at most"), most)) : null,
    choose("sort", "Order", Object.entries(SORTS).map(([key, [words]]) => [key, words])),
    el("div", { class: "actions" }, low, button({ class: "quick", id: "f-clear" }, () => {
      change({ text: "", cause: "", finding: "", status: "", kind: "", tag: "", measure: "", most: "", sort: "given" });
    }, "clear")));
}

const form = controls();
form.addEventListener("submit", (event) => event.preventDefault());
const status = el("p", { class: "matches", role: "status" });
const rows = el("ol", { class: "rows" });
const moreRows = button({ class: "more-rows" }, () => { shownRows += PAGE_SIZE; draw(); }, "");

function change(values) {
  Object.assign(state, values);
  shownRows = PAGE_SIZE;
  for (const [name, value] of Object.entries(state)) {
    const field = form.querySelector(`#f-${name}`);
    if (field && field.value !== value && document.activeElement !== field) field.value = value;
  }
  const low = form.querySelector("#f-low");
  if (low) low.setAttribute("aria-pressed", String(state.measure === precision && state.most === "0.5"));
  const key = SORTS[state.sort][1];
  visible = runs.filter(matches);
  if (key) visible = visible.map((run) => [key(run), run]).sort((a, b) => (a[0] === b[0] ? a[1].number - b[1].number : a[0] < b[0] ? -1 : 1)).map((pair) => pair[1]);
  draw();
}

function draw() {
  rows.replaceChildren(...visible.slice(0, shownRows).map(row));
  const all = runs.length === INDEX.total ? plural(runs.length, "run") : `the ${plural(runs.length, "run")} shown`;
  status.textContent = visible.length === runs.length ? `${plural(runs.length, "run")}${runs.length === INDEX.total ? "" : ` of ${INDEX.total.toLocaleString("en")}`}`
    : `${visible.length.toLocaleString("en")} of ${all} match`;
  const left = visible.length - shownRows;
  moreRows.hidden = left <= 0;
  moreRows.textContent = `Show ${Math.min(left, PAGE_SIZE)} more of ${left}`;
}

function row(run) {
  const value = precision ? own(run.measures, precision) ?? null : null;
  const strip = run.verdicts.slice(0, 24).map((verdict) => el("span", { class: `key verdict ${verdict}` }, INDEX.verdicts[verdict][SYMBOL]));
  const said = counts(run.verdicts).map(([verdict, count]) => `${count} ${INDEX.verdicts[verdict][WORDS]}`).join(", ");
  return el("li", {}, el("a", { href: `#run-${run.number}` },
    el("span", { class: "q", dir: "auto" }, run.q || "(no question)"),
    el("span", { class: "a", dir: "auto" }, run.a.slice(0, 240) || "(no answer)"),
    el("span", { class: "signs" },
      strip.length ? el("span", { class: "strip", title: said }, el("span", { class: "heard" }, `Claims: ${said}. `), el("span", { "aria-hidden": "true" }, strip)) : null,
      run.context ? el("span", { class: "quiet" }, `${run.used} of ${plural(run.context, "chunk")} used`) : el("span", { class: "quiet" }, "no chunks"),
      precision ? el("span", { class: "quiet", title: precision }, `CP ${value === null ? "n/a" : asShare(value)}`) : null,
      run.status === "ok" ? null : el("span", { class: "tag warn" }, INDEX.statuses[run.status] || run.status),
      run.kind === "answer" ? null : el("span", { class: "tag" }, run.kind === "refusal" ? "refusal" : "no answer"),
      run.findings.map((kind) => el("span", { class: `tag finding ${kind === "right_refusal" ? "good" : kind === run.cause ? "cause" : ""}` },
        kind === run.cause ? "First cause: " : null, INDEX.findings[kind] ? INDEX.findings[kind][0] : kind)))));
}

/** Draws the run that the address names, or the overview. */
function route() {
  const overview = document.getElementById("overview"), page = document.getElementById("run");
  const match = /^#run-(\d+)$/.exec(location.hash);
  const run = match ? runs[Number(match[1])] : undefined;
  if (run === undefined) {
    const back = openRun !== null;
    openRun = null;
    page.hidden = true;
    overview.hidden = false;
    page.replaceChildren();
    if (back && !location.hash.startsWith("#runs")) scrollTo(0, listScroll);
    return;
  }
  if (openRun === null) listScroll = scrollY;
  const at = visible.indexOf(run);
  const step = (other, words, label) => (other === undefined ? el("span", { class: "step off", "aria-hidden": "true" }, words)
    : el("a", { class: "step", href: `#run-${other.number}`, "aria-label": label }, words));
  const place = el("nav", { class: "place", "aria-label": "Runs" }, el("a", { class: "step", href: "#" }, "← All runs"), el("bdi", { class: "title" }, document.title),
    el("span", { class: "of" }, at < 0 ? "" : `${at + 1} of ${visible.length}`), step(at < 0 ? undefined : visible[at - 1], "‹", "Previous run"), step(at < 0 ? undefined : visible[at + 1], "›", "Next run"));
  openRun = new RunPage(readJson(`run-data-${run.number}`), place);
  page.replaceChildren(openRun.node);
  overview.hidden = true;
  page.hidden = false;
  scrollTo(0, 0);
  const heading = page.querySelector("h1");
  if (heading) heading.focus({ preventScroll: true });
}

addEventListener("hashchange", route);
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && openRun !== null && openRun.selected !== null) openRun.select(null);
});
for (const kind of document.querySelectorAll("button.kind")) {
  kind.addEventListener("click", () => {
    change({ cause: kind.dataset.kind });
    reveal(document.getElementById("runs"), "start");
  });
}
document.getElementById("list").append(form, status, rows, moreRows);
change({});
route();
