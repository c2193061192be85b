// Draws one run: the answer beside its evidence, and what links them.

const INDEX = readJson("index");
const [SYMBOL, , WORDS] = [0, 1, 2];
const LONG_CHUNK = 900;

class RunPage {
  constructor(data, place) {
    this.data = data;
    this.claims = data.claims.map(() => []); // elements of each claim
    this.cites = data.citations.map(() => []); // elements of each citation
    this.cards = []; // one element per chunk
    this.pieces = []; // {node, chunk, claims}
    this.selected = null;
    this.panel = el("div", { class: "panel", "aria-live": "polite" });
    this.node = el("article", { class: "run" }, place, this.head(), this.story(), this.body(), this.below());
    this.say(null);
  }

  // ---- parts

  head() {
    const { data } = this;
    const flow = [
      data.retrieved === null ? null : ["retrieved", data.retrieved],
      ["in prompt", data.chunks.filter((chunk) => chunk.inPrompt).length],
      ["cited", data.chunks.filter((chunk) => chunk.cited).length],
      ["used", data.chunks.filter((chunk) => chunk.use === "used").length],
    ].filter(Boolean);
    return el("header", { class: "question" },
      el("p", { class: "eyebrow" }, "Question",
        data.status === "ok" ? null : el("span", { class: "tag warn" }, data.statusWords),
        data.kind === "answer" ? null : el("span", { class: "tag" }, data.kind === "refusal" ? "refusal" : "no answer")),
      data.question === null ? el("h1", { class: "absent" }, "No question was recorded")
        : el("h1", { dir: "auto", tabindex: "-1" }, data.question),
      el("ol", { class: "flow", "aria-label": "Chunks by stage" },
        flow.map(([words, count]) => el("li", {}, el("b", {}, String(count)), ` ${words}`))));
  }

  story() {
    return el("section", { class: "story", "aria-labelledby": "h-story" },
      el("h2", { id: "h-story", class: "eyebrow" }, "What happened"),
      el("dl", {}, this.data.story.map((part) => el("div", { class: part.tone },
        el("dt", {}, part.heading), el("dd", {}, part.says.map((piece) => this.said(piece)))))));
  }

  /** One part of a sentence: our own words, text from outside, or a number that leads to what it names. */
  said(piece) {
    if (typeof piece === "string") return piece;
    if (piece.ref === undefined) return quoted(piece.q, "said");
    const [what, number, place] = piece.ref;
    return this.reference(what, number, place, number);
  }

  body() {
    return el("div", { class: "columns" },
      el("section", { class: "answer-side", "aria-labelledby": "h-answer" },
        el("div", { class: "sticky" },
          el("h2", { id: "h-answer", class: "eyebrow" }, "Answer"),
          this.answer(),
          this.data.gold === null ? null
            : el("p", { class: "gold" }, el("span", { class: "eyebrow" }, "Gold answer"),
              this.data.gold === "" ? "the question cannot be answered from the corpus" : quoted(this.data.gold)),
          this.legend(),
          this.panel,
          this.findings())),
      el("section", { class: "chunk-side", "aria-labelledby": "h-chunks" },
        el("h2", { id: "h-chunks", class: "eyebrow" }, `Chunks in the order of ${this.data.order}`),
        this.data.hasTexts ? null : el("p", { class: "notice" },
          "Only the evaluation of this run was kept, not its record, so the chunks' texts are not shown."),
        this.chunks()));
  }

  answer() {
    if (this.data.answer === null || this.data.answer.length === 0) return el("p", { class: "absent" }, "There is no answer.");
    const box = el("div", { class: "answer", dir: "auto" });
    for (const piece of this.data.answer) {
      if (typeof piece === "string") add(box, el("span", {}, piece));
      else if (piece.cites) add(box, this.citationMark(piece));
      else add(box, this.claimPiece(piece));
    }
    return this.data.unread === null ? box : [box, el("p", { class: "notice" }, this.data.unread)];
  }

  claimPiece(piece) {
    const number = piece.claim, claim = this.data.claims[number];
    const words = INDEX.verdicts[claim.verdict];
    const first = this.claims[number].length === 0;
    const node = el("span", {
      class: `claim ${claim.verdict}${first ? " first" : ""}`, role: first ? "button" : null, tabindex: first ? "0" : null,
      "aria-pressed": first ? "false" : null, "data-mark": first ? `${words[SYMBOL]}${claim.n}` : null,
      title: `Claim ${claim.n}: ${words[WORDS]}${claim.p === null ? "" : `, probability ${claim.p}`}`,
    }, first ? el("span", { class: "heard" }, `Claim ${claim.n}, ${words[WORDS]}: `) : null, piece.t);
    this.claims[number].push(node);
    asButton(node, () => this.select({ claim: number }, true));
    this.peekOn(node, { claim: number });
    return node;
  }

  citationMark(piece) {
    const citations = piece.cites.map((number) => this.data.citations[number]);
    const good = citations.every((citation) => citation.ok), bad = citations.every((citation) => !citation.ok);
    const signs = good ? "✓" : bad ? "✗" : citations.map((citation) => (citation.ok ? "✓" : "✗")).join("");
    const first = this.cites[piece.cites[0]].length === 0;
    const why = citations.map((citation) => `${citation.ok ? "holds" : "does not hold"}: ${citation.why}`).join("; ");
    const node = el("span", {
      class: `cite ${good ? "ok" : "bad"}`, role: first ? "button" : null, tabindex: first ? "0" : null,
      "aria-pressed": first ? "false" : null, title: why, "data-mark": signs,
    }, piece.t, first ? el("span", { class: "heard" }, ` (citation ${why})`) : null);
    for (const number of piece.cites) this.cites[number].push(node);
    asButton(node, () => this.select({ cites: piece.cites }, true));
    this.peekOn(node, { cites: piece.cites });
    return node;
  }

  legend() {
    const seen = new Set(this.data.claims.map((claim) => claim.verdict));
    if (!seen.size) return null;
    return el("ul", { class: "legend", "aria-label": "Marks in the answer" },
      Object.entries(INDEX.verdicts).filter(([verdict]) => seen.has(verdict)).map(([verdict, words]) =>
        el("li", {}, el("span", { class: `key verdict ${verdict}`, "aria-hidden": "true" }, words[SYMBOL]), words[WORDS])));
  }

  chunks() {
    if (!this.data.chunks.length) return el("p", { class: "absent" }, "No chunk was retrieved.");
    const list = el("ol", { class: "chunks" });
    let left = false;
    this.data.chunks.forEach((chunk, place) => {
      if (!chunk.inPrompt && !left) {
        left = true;
        add(list, el("li", { class: "divider" }, "Retrieved, but not in the prompt"));
      }
      add(list, this.chunk(chunk, place));
    });
    return list;
  }

  chunk(chunk, place) {
    const use = INDEX.uses[chunk.use];
    const card = el("li", { class: `chunk ${chunk.use}${chunk.conflict ? " conflict" : ""}${chunk.inPrompt ? "" : " left-out"}` });
    this.cards.push(card);
    const head = button({ class: "chunk-head", "aria-pressed": "false", title: "Show what this chunk backs" }, () => this.select({ chunk: place }),
      el("span", { class: "rank" }, el("span", { class: "heard" }, "Chunk "), String(chunk.rank)),
      quoted(chunk.id, "id"),
      el("span", { class: `key use ${chunk.use}` }, `${use[SYMBOL]} ${use[WORDS]}`,
        chunk.p === null ? null : el("span", { class: "p" }, chunk.p)));
    const tags = el("p", { class: "tags" },
      chunk.conflict ? el("span", { class: "tag conflict" }, "≠ contradicts the answer") : null,
      chunk.cited ? el("span", { class: "tag" }, "cited") : null,
      chunk.inPrompt ? null : el("span", { class: "tag" }, "not in prompt"),
      chunk.coverage === null ? null : el("span", { class: "tag warn" }, `${chunk.coverage} of it in the prompt`),
      chunk.relevance === null ? null : el("span", { class: "tag" }, `gold relevance ${chunk.relevance}`),
      chunk.source === null ? null : el("span", { class: "source" }, quoted(chunk.source), chunk.page === null ? null : [" · page ", quoted(chunk.page)]),
      chunk.trail.length ? el("span", { class: "trail" }, chunk.trail.map(([stage, rank, score], step) =>
        [step ? " → " : null, quoted(stage), ` #${rank}`, score === null ? null : ` (${score})`])) : null);
    add(card, head, tags, chunk.p === null ? null : gauge(chunk.share, chunk.use), this.chunkText(chunk, place), this.chunkFoot(chunk));
    card.addEventListener("mouseenter", () => this.peek({ chunk: place }));
    card.addEventListener("mouseleave", () => this.peek(null));
    return card;
  }

  chunkText(chunk, place) {
    if (chunk.pieces === null) return this.data.hasTexts ? el("p", { class: "absent" }, "The record does not hold this chunk.") : null;
    if (!chunk.size) return el("p", { class: "absent" }, "This chunk has no text.");
    const box = el("div", { class: "text", dir: "auto" });
    for (const piece of chunk.pieces) {
      if (typeof piece === "string") add(box, el("span", {}, piece));
      else if (piece.cut) add(box, el("span", { class: "cut" }, ` … ${plural(piece.cut, "character")} not shown … `));
      else {
        const verdicts = piece.claims.map((number) => this.data.claims[number].verdict);
        const numbers = piece.claims.map((number) => this.data.claims[number].n).join(",");
        const node = el("mark", { class: verdicts[0], "data-n": numbers, title: `Behind claim ${numbers}` }, piece.t);
        node.addEventListener("click", () => this.select({ claim: piece.claims[0] }));
        this.pieces.push({ node, chunk: place, claims: piece.claims });
        add(box, node);
      }
    }
    if (chunk.size <= LONG_CHUNK) return box;
    box.classList.add("clamped");
    const more = button({ class: "more", "aria-expanded": "false" }, () => {
      const clamped = box.classList.toggle("clamped");
      more.setAttribute("aria-expanded", String(!clamped));
      more.textContent = clamped ? `Show all ${plural(chunk.size, "character")}` : "Show less";
    }, `Show all ${plural(chunk.size, "character")}`);
    return [box, more];
  }

  chunkFoot(chunk) {
    const pairs = [...new Map(chunk.by.map(([claim, p]) => [claim, p]))];
    if (!pairs.length && !chunk.metadata.length) return null;
    return el("div", { class: "foot" },
      pairs.length ? el("p", { class: "backs" }, "Backs ", pairs.map(([claim, p], step) => [step ? ", " : null,
        button({ class: "ref" }, () => this.select({ claim }, false, true), `claim ${this.data.claims[claim].n}`), ` (${p})`])) : null,
      this.pairs("Metadata", chunk.metadata));
  }

  pairs(heading, pairs) {
    if (!pairs.length) return null;
    return el("details", { class: "pairs" }, el("summary", {}, heading),
      el("dl", {}, pairs.map(([key, value]) => [el("dt", {}, quoted(key)), el("dd", {}, quoted(value))])));
  }

  findings() {
    if (!this.data.findings.length) return null;
    return el("section", { class: "run-findings", "aria-labelledby": "h-run-findings" },
      el("h2", { id: "h-run-findings", class: "eyebrow" }, "Findings"),
      el("ul", {}, this.data.findings.map((finding) => el("li", { class: this.weight(finding) },
        el("p", { class: "what" }, el("b", {}, finding.title),
          finding.first ? el("span", { class: "tag cause" }, "first cause") : null, el("span", { class: "tag" }, finding.stage),
          el("span", { class: "p", title: "How sure this is, from 0 to 1" }, `confidence ${finding.confidence}`)),
        el("p", {}, finding.why || finding.says),
        finding.follows === null ? null : el("p", { class: "follows" }, `Follows from: ${finding.follows}`),
        finding.refs.length ? el("p", { class: "refs" }, finding.refs.map(([what, number, place]) => this.reference(what, number, place))) : null))));
  }

  /** How a finding is drawn: as good, as the first cause, as one that follows from another, or plainly. */
  weight(finding) {
    if (finding.kind === "right_refusal") return "good";
    return finding.first ? "first" : finding.follows === null ? null : "later";
  }

  /** A button that leads to a claim, citation or chunk; `words` where its name is said before it. */
  reference(what, number, place, words) {
    const name = own({ claims: "claim", citations: "citation", chunks: "chunk" }, what);
    if (!name) return el("span", { class: "tag" }, quoted(what), ` ${number}`);
    if (place === null) return el("span", { class: "tag" }, words || `${name} ${number}`);
    const key = { claims: { claim: place }, citations: { cites: [place] }, chunks: { chunk: place } }[what];
    return button({ class: "ref", "aria-label": `${name} ${number}` }, () => this.select(key, true, what !== "chunks"), words || `${name} ${number}`);
  }

  below() {
    return el("div", { class: "below" }, this.citations(), this.measures(), this.facts());
  }

  citations() {
    if (!this.data.citations.length) return null;
    return el("section", { "aria-labelledby": "h-citations" }, el("h2", { id: "h-citations" }, "Citations"),
      el("ul", { class: "citations" }, this.data.citations.map((citation, number) => el("li", { class: citation.ok ? "ok" : "bad" },
        button({ class: "ref cite-row" }, () => this.select({ cites: [number] }, true, true),
          el("span", { class: "sign", "aria-hidden": "true" }, citation.ok ? "✓" : "✗"),
          el("span", { class: "heard" }, citation.ok ? "holds: " : "does not hold: "), quoted(citation.marker, "id")),
        el("span", { class: "to" }, citation.target === null ? "→ nothing" : ["→ ", quoted(citation.target, "id")]),
        el("span", {}, citation.why,
          citation.better.length ? [": ", citation.better.map((place, step) => [step ? ", " : null, this.reference("chunks", this.data.chunks[place].rank, place)])] : null),
        citation.claim === null ? el("span", { class: "quiet" }, "at no claim") : this.reference("claims", this.data.claims[citation.claim].n, citation.claim)))));
  }

  measures() {
    if (!this.data.results.length && !this.data.missing.length) return null;
    return el("section", { "aria-labelledby": "h-measures" }, el("h2", { id: "h-measures" }, "Measures of this run"),
      el("ul", { class: "measures" }, this.data.results.map((result) => el("li", {},
        el("details", {}, el("summary", { title: own(INDEX.says, result.metric) || null },
          quoted(result.metric, "name"),
          el("span", { class: "value" }, result.value),
          result.share === null ? el("span", { class: "bar none" }) : gauge(result.share),
          el("span", { class: "quiet" }, result.restsOn || "no labels")),
        el("p", {}, own(INDEX.says, result.metric) || "No description is recorded for this measure.",
          result.restsOn ? ` Rests on ${result.restsOn}.` : " It needs no labels."))))),
      this.data.missing.map(([reason, names]) => el("p", { class: "missing" }, "n/a, ", quoted(reason), ": ",
        names.map((name, step) => [step ? ", " : null, el("bdi", { class: "name", title: own(INDEX.says, name) || null }, name)]))));
  }

  facts() {
    return el("section", { "aria-labelledby": "h-facts" }, el("h2", { id: "h-facts" }, "Record"),
      el("dl", { class: "facts" }, this.data.facts.map(([label, text]) => el("div", {}, el("dt", {}, label), el("dd", {}, quoted(text))))),
      this.pairs("Metadata of the run", this.data.metadata));
  }

  // ---- what belongs together

  /** The claims, chunks and citations that a selected thing concerns. */
  related(key) {
    const { data } = this;
    const claims = new Set(), chunks = new Set(), cites = new Set();
    if (key.claim !== undefined) {
      claims.add(key.claim);
      data.claims[key.claim].by.forEach(([chunk]) => chunks.add(chunk));
      data.claims[key.claim].against.forEach((chunk) => chunks.add(chunk));
    } else if (key.chunk !== undefined) {
      chunks.add(key.chunk);
      data.chunks[key.chunk].by.forEach(([claim]) => claims.add(claim));
      data.claims.forEach((claim, number) => claim.against.includes(key.chunk) && claims.add(number));
      data.citations.forEach((citation, number) => citation.chunk === key.chunk && cites.add(number));
    } else {
      for (const number of key.cites) {
        cites.add(number);
        if (data.citations[number].claim !== null) claims.add(data.citations[number].claim);
        if (data.citations[number].chunk !== null) chunks.add(data.citations[number].chunk);
      }
    }
    return { claims, chunks, cites };
  }

  paint(name, key) {
    for (const node of this.node.querySelectorAll(`.${name}`)) node.classList.remove(name);
    if (key === null) return;
    const { claims, chunks, cites } = this.related(key);
    claims.forEach((number) => this.claims[number].forEach((node) => node.classList.add(name)));
    cites.forEach((number) => this.cites[number].forEach((node) => node.classList.add(name)));
    chunks.forEach((place) => this.cards[place].classList.add(name));
    for (const piece of this.pieces) {
      if (chunks.has(piece.chunk) && piece.claims.some((number) => claims.has(number))) piece.node.classList.add(name);
    }
  }

  peekOn(node, key) {
    node.addEventListener("mouseenter", () => this.peek(key));
    node.addEventListener("mouseleave", () => this.peek(null));
  }

  peek(key) {
    this.paint("peek", key);
  }

  /** Selects a claim, chunk or citation (again: lets it go), and brings its counterpart into view. */
  select(key, toChunk, toAnswer) {
    const same = key !== null && JSON.stringify(key) === JSON.stringify(this.selected);
    this.selected = same && !toAnswer ? null : key;
    this.node.classList.toggle("selecting", this.selected !== null);
    this.paint("on", this.selected);
    for (const node of this.node.querySelectorAll("[aria-pressed]")) {
      const owner = node.classList.contains("chunk-head") ? node.parentElement : node;
      node.setAttribute("aria-pressed", String(owner.classList.contains("on")));
    }
    this.say(this.selected);
    if (this.selected === null) return;
    for (const { node } of this.pieces) if (node.classList.contains("on")) this.unfold(node);
    const strongest = key.claim === undefined || !this.data.claims[key.claim].by.length ? null : this.cards[this.data.claims[key.claim].by[0][0]];
    const card = strongest || this.node.querySelector(".chunk.on");
    const first = card && (card.querySelector("mark.on") || card);
    if (toAnswer) {
      const target = this.node.querySelector(".claim.on") || this.node.querySelector(".cite.on");
      if (target) {
        reveal(target, "center");
        target.focus({ preventScroll: true });
      }
    } else if (toChunk && first && !inView(first)) {
      reveal(first, "center");
    }
  }

  unfold(node) {
    const box = node.closest(".clamped");
    if (box && node.offsetTop + node.offsetHeight > box.offsetTop + box.clientHeight) box.nextElementSibling.click();
  }

  /** Says in words what is selected. */
  say(key) {
    this.panel.replaceChildren();
    this.panel.classList.toggle("empty", key === null);
    if (key === null) {
      if (this.data.claims.length) add(this.panel, el("p", { class: "hint" }, "Choose a sentence to see what backs it, or a chunk to see what it backs."));
      return;
    }
    const close = button({ class: "close", "aria-label": "Clear the selection" }, () => this.select(null), "×");
    add(this.panel, close);
    if (key.claim !== undefined) this.sayClaim(key.claim);
    else if (key.chunk !== undefined) this.sayChunk(key.chunk);
    else key.cites.forEach((number) => this.sayCitation(number));
  }

  sayClaim(number) {
    const claim = this.data.claims[number], words = INDEX.verdicts[claim.verdict];
    const toChunk = ([place, p]) => [button({ class: "ref" }, () => { reveal(this.cards[place], "center"); }, `chunk ${this.data.chunks[place].rank}`), p === null ? null : ` (${p})`];
    const listed = (pairs) => pairs.map((pair, step) => [step ? ", " : null, toChunk(pair)]);
    add(this.panel, el("p", {}, el("span", { class: `key verdict ${claim.verdict}`, "aria-hidden": "true" }, words[SYMBOL]),
      el("b", {}, `Claim ${claim.n}: ${words[WORDS]}`), claim.p === null ? null : el("span", { class: "p", title: "Probability that the context backs it" }, claim.p)));
    const pairs = [...new Map(claim.by.map((pair) => [pair[0], pair[1]]))];
    if (pairs.length) add(this.panel, el("p", {}, "Backed by ", listed(pairs), "."));
    if (claim.against.length) add(this.panel, el("p", {}, "Contradicted by ", listed(claim.against.map((place) => [place, null])), "."));
    if (!pairs.length && !claim.against.length) add(this.panel, el("p", {}, claim.verdict === "none" ? "It needs no source." : "No chunk backs it."));
    add(this.panel, el("p", { class: "back" }, button({ class: "ref" }, () => this.select({ claim: number }, false, true), "↑ back to the sentence")));
  }

  sayChunk(place) {
    const chunk = this.data.chunks[place];
    const claims = [...new Set(chunk.by.map(([claim]) => claim))];
    add(this.panel, el("p", {}, el("b", {}, `Chunk ${chunk.rank}: ${INDEX.uses[chunk.use][WORDS]}`), chunk.p === null ? null : el("span", { class: "p", title: "Probability of use" }, chunk.p)),
      el("p", {}, claims.length ? ["Backs ", claims.map((claim, step) => [step ? ", " : null, this.reference("claims", this.data.claims[claim].n, claim)]), "."] : "Backs no claim."));
  }

  sayCitation(number) {
    const citation = this.data.citations[number];
    add(this.panel, el("p", {}, el("span", { class: `sign ${citation.ok ? "ok" : "bad"}`, "aria-hidden": "true" }, citation.ok ? "✓ " : "✗ "),
      quoted(citation.marker, "id"), ` ${citation.ok ? "holds" : "does not hold"}: ${citation.why}.`,
      citation.chunk === null ? null : [" It points to ", this.reference("chunks", this.data.chunks[citation.chunk].rank, citation.chunk), "."]));
  }
}
