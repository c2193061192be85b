"""Prints one run, or the averages of many, on a terminal: wide or narrow, with or without colour and Unicode."""

from collections.abc import Iterable, Sequence
from itertools import dropwhile, takewhile

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rag_eval_hooks.diagnosis.rules import GOOD
from rag_eval_hooks.record import Evaluation, MetricResult, RagRun
from rag_eval_hooks.reports.overview import AverageRow, Averages
from rag_eval_hooks.reports.plain import one_line, plain
from rag_eval_hooks.reports.sentences import Paragraph, Part, Quote, Ref
from rag_eval_hooks.reports.story import story
from rag_eval_hooks.reports.view import (
    LONGEST_CAPTION,
    AnswerSegment,
    ChunkView,
    CitationView,
    RunView,
    citation_outcome,
    run_view,
)
from rag_eval_hooks.reports.words import (
    PROBLEMS,
    STAGES,
    STATUSES,
    USES,
    VERDICTS,
    as_number,
    as_probability,
    failed_tries,
    finding_text,
    finding_title,
    finding_words,
    person_number,
    rests_on,
    without_value,
)

__all__ = ["print_averages", "print_run", "print_story"]

VERDICT_STYLES = {
    "supported": "green",
    "unsupported": "red",
    "conflict": "magenta",
    "uncertain": "yellow",
    "none": "dim",
}
TONE_STYLES = {"plain": "bold", "cause": "bold red", "good": "bold green"}
USE_STYLES = {"used": "bold blue", "unused": "dim", "uncertain": "yellow", "unknown": "dim"}
WIDE = 100
ROOMY = 60
SNIPPET = 120
MOST_NUMBERS = 8
LONGEST_TEXT = 20_000
LONGEST_QUOTE = 2_000


def print_run(console: Console, run: RagRun | None, evaluation: Evaluation) -> None:
    """Prints one run: question, answer with each sentence's verdict, chunks, citations, findings, measures.

    No text of the run reaches the terminal as a control or escape sequence, nor as Rich markup.

    Args:
        console: Where to print; its width, colours and encoding are kept to.
        run: The record; None where only the evaluation was kept, and then no chunk text is shown.
        evaluation: What was concluded about the run.
    """
    _Printer(console).run(run_view(run, evaluation))


def print_story(console: Console, run: RagRun | None, evaluation: Evaluation) -> None:
    """Prints the story of one run in plain sentences, see `rag_eval_hooks.reports.story`.

    No text of the run reaches the terminal as a control or escape sequence, nor as Rich markup.

    Args:
        console: Where to print; its width, colours and encoding are kept to.
        run: The record; None where only the evaluation was kept.
        evaluation: What was concluded about the run.
    """
    _Printer(console).story(evaluation, story(run, evaluation))


def print_averages(console: Console, items: Iterable[tuple[Sequence[MetricResult], float]]) -> None:
    """Prints each measure's mean with its 95 % interval, and how many runs it rests on.

    Args:
        console: Where to print.
        items: Each run's results and weight, as `rag_eval_hooks.metrics.averages` takes them.
    """
    averages = Averages()
    for results, weight in items:
        averages.add(results, weight)
    _Printer(console).averages(averages.rows())


class _Printer:
    """Writes to one console, in the characters that its encoding has."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.encoding = console.encoding or "utf-8"
        self.unicode = self.encoding.lower().replace("-", "").startswith("utf")

    # -- text

    def clean(self, text: str) -> str:
        """Untrusted text as this console can show it."""
        shown = plain(text[:LONGEST_TEXT])
        if len(text) > LONGEST_TEXT:
            shown += f" ... ({len(text) - LONGEST_TEXT:,} more characters)"
        return self.encodable(shown)

    def line(self, text: str, limit: int = SNIPPET) -> str:
        """Untrusted text as one line."""
        return self.encodable(one_line(text, limit))

    def encodable(self, text: str) -> str:
        return text if self.unicode else text.encode(self.encoding, "replace").decode(self.encoding, "replace")

    def sign(self, words: tuple[str, str, str]) -> str:
        return words[0] if self.unicode else words[1]

    def tick(self, ok: bool) -> str:
        return ("✓" if ok else "✗") if self.unicode else ("+" if ok else "x")

    def show(self, *parts: str | Text | tuple[str, str]) -> None:
        self.console.print(Text.assemble(*parts), highlight=False, soft_wrap=False)

    def heading(self, words: str) -> None:
        self.console.print()
        self.show((words, "bold"))

    # -- one run

    def run(self, view: RunView) -> None:
        evaluation = view.evaluation
        question = "no question was recorded" if evaluation.question is None else self.clean(evaluation.question)
        self.show((question, "bold"))
        self.facts(evaluation, view.run)
        self.answer(view)
        self.chunks(view)
        self.citations(view)
        self.findings(view)
        self.measures(view)

    def facts(self, evaluation: Evaluation, run: RagRun | None = None) -> None:
        facts = [f"run {self.line(evaluation.run_id)}", STATUSES.get(evaluation.status, evaluation.status)]
        if run is not None and run.error:
            facts[-1] += f": {self.line(run.error)}"
        if evaluation.answer_kind != "answer":
            facts.append({"refusal": "refusal", "empty": "no answer"}[evaluation.answer_kind])
        if run is not None and run.attempts:
            facts.append(f"failed tries: {failed_tries(run)}")
        if run is not None and run.flags:
            facts.append(", ".join(run.flags))
        self.show((self.line(" - ".join(facts), 1_000), "dim"))

    def story(self, evaluation: Evaluation, paragraphs: Iterable[Paragraph]) -> None:
        self.facts(evaluation)
        for paragraph in paragraphs:
            self.console.print()
            self.show((paragraph.heading, TONE_STYLES[paragraph.tone]))
            said = [part for sentence in paragraph.sentences for part in (*sentence, " ")]
            text = Text.assemble(*map(self.part, said[:-1]))
            for line in text.wrap(self.console, self.console.width):
                line.rstrip()
                self.show(line)

    def part(self, part: Part) -> str | tuple[str, str]:
        """One part of a sentence; text from outside made harmless."""
        if isinstance(part, Quote):
            return self.line(part.text, LONGEST_QUOTE)
        return (part.shown, "bold") if isinstance(part, Ref) else part

    def answer(self, view: RunView) -> None:
        self.heading("Answer")
        if not view.answer:
            self.show(("there is no answer", "italic dim"))
            return
        text = Text()
        begun: set[int] = set()
        left = LONGEST_TEXT
        for segment in view.answer:
            if left <= 0:
                text.append(" ... (the rest is not shown)", style="dim")
                break
            left -= len(segment.text)
            text.append_text(self.answer_segment(view, segment, begun))
        self.show(text)
        if view.unread:
            self.show((view.unread, "yellow"))
        seen = [verdict for verdict in VERDICTS if any(claim.verdict == verdict for claim in view.claims)]
        if seen:
            legend = "  ".join(f"{self.sign(VERDICTS[verdict])} {VERDICTS[verdict][2]}" for verdict in seen)
            self.show((legend, "dim"))

    def answer_segment(self, view: RunView, segment: AnswerSegment, begun: set[int]) -> Text:
        """One piece: a claim's first piece begins with its sign and number, a citation ends with its sign."""
        shown = self.clean(segment.text)
        if segment.citations:
            signs = dict.fromkeys(self.tick(view.citations[place].ok) for place in segment.citations)
            good = all(view.citations[place].ok for place in segment.citations)
            return Text(f"{shown}{''.join(signs)}", style="green" if good else "red")
        if segment.claim is None:
            return Text(shown)
        verdict = view.claims[segment.claim].verdict
        text = Text()
        if segment.claim not in begun:
            begun.add(segment.claim)
            words = VERDICTS[verdict]
            text.append(
                f"{self.sign(words)}{view.claims[segment.claim].claim.index + 1} ",
                style=f"bold {VERDICT_STYLES[verdict]}",
            )
        return text.append(shown, style=VERDICT_STYLES[verdict])

    def chunks(self, view: RunView) -> None:
        self.heading("Chunks")
        if not view.chunks:
            unseen = view.run is not None and view.run.retrieval_is_unseen
            self.show(("no retrieval step was seen" if unseen else "no chunk was retrieved", "italic dim"))
            return
        wide = self.console.width >= WIDE
        table = self.table()
        table.add_column("#", justify="right", no_wrap=True)
        table.add_column("chunk", overflow="fold", ratio=None if wide else 1)
        table.add_column("use", overflow="fold")
        table.add_column("p", justify="right", no_wrap=True)
        table.add_column("cited", no_wrap=True)
        if wide:
            table.add_column("what it backs", overflow="fold", ratio=1)
        for chunk in view.chunks:
            use = Text(f"{self.sign(USES[chunk.use])} {USES[chunk.use][2]}", style=USE_STYLES[chunk.use])
            if chunk.conflict:
                use.append(f"\n{self.sign(VERDICTS['conflict'])} contradicts", style="magenta")
            if not chunk.in_prompt:
                use.append("\nnot in prompt", style="dim")
            name, snippet = Text(self.line(chunk.id, 200)), self.snippet(view, chunk)
            if chunk.caption and (chunk.source or not snippet):  # else both would be the text's first words
                name.append(f"\n{self.line(chunk.caption, LONGEST_CAPTION)}", style="dim")
            if not wide and snippet:
                name.append("\n").append_text(snippet)
            row = [
                Text(str(chunk.rank)),
                name,
                use,
                Text(as_probability(chunk.use_probability)),
                Text(self.tick(True) if chunk.cited else ""),
            ]
            table.add_row(*row, *([snippet] if wide else []))
        self.console.print(table)
        if not view.has_texts:
            self.show(("the run's record was not kept, so the chunks' texts are not shown", "italic dim"))

    def snippet(self, view: RunView, chunk: ChunkView) -> Text:
        """The first place of the chunk that backs a claim, after the claim's number."""
        marked = dropwhile(lambda segment: not segment.marks, chunk.segments)
        first = next(marked, None)
        if first is None:
            return Text()
        claim = first.marks[0]
        rest = takewhile(lambda segment: claim in segment.marks, marked)
        text = Text(f"{view.claims[claim].claim.index + 1}: ", style="bold")
        return text.append(self.line("".join(segment.text for segment in (first, *rest))), style="not bold italic")

    def citations(self, view: RunView) -> None:
        if not view.citations:
            return
        self.heading("Citations")
        for item in view.citations:
            target = "nothing" if item.citation.target is None else self.line(item.citation.target)
            self.show(
                (f"{self.tick(item.ok)} ", "bold green" if item.ok else "bold red"),
                self.line(item.citation.marker),
                (" -> ", "dim"),
                target,
                (f"  {self.citation_words(view, item)}", "dim"),
            )

    def citation_words(self, view: RunView, item: CitationView) -> str:
        outcome = citation_outcome(item.citation)
        words = PROBLEMS.get(outcome, "the cited chunk backs the statement")
        if outcome == "misplaced" and item.claim is not None:
            ranks = dict.fromkeys(view.chunks[backing.chunk].rank for backing in view.claims[item.claim].backing)
            if ranks:
                words += f": {', '.join(map(str, ranks))}"
        return words if item.claim is None else f"claim {view.claims[item.claim].claim.index + 1}: {words}"

    def findings(self, view: RunView) -> None:
        if not view.findings:
            return
        self.heading("Findings")
        for finding in view.findings:
            good = finding.kind in GOOD
            self.show(
                (finding_words(finding.kind)[0], "bold green" if good else "bold red"),
                ("  first cause" if finding.first_cause else "", "bold"),
                (
                    f"  {STAGES.get(finding.stage, finding.stage)}, confidence {as_probability(finding.confidence)}",
                    "dim",
                ),
                (f", follows from: {finding_title(finding.explained_by)}" if finding.explained_by else "", "dim"),
            )
            refs = "; ".join(self.references(what, numbers) for what, numbers in finding.refs.items() if numbers)
            why = finding_text(finding) or finding_words(finding.kind)[1]
            self.show("  ", self.line(why, 1_000), (refs and f" ({refs})", "dim"))

    def references(self, what: str, numbers: Sequence[int]) -> str:
        """`chunk 1`, `claims 1, 3`; the first few of many."""
        name = what.removesuffix("s") if what in ("claims", "citations", "chunks") and len(numbers) == 1 else what
        shown = ", ".join(str(person_number(what, number)) for number in numbers[:MOST_NUMBERS])
        more = f" and {len(numbers) - MOST_NUMBERS} more" if len(numbers) > MOST_NUMBERS else ""
        return f"{self.line(name)} {shown}{more}"

    def measures(self, view: RunView) -> None:
        if not view.results:
            return
        self.heading("Measures")
        table = self.table()
        table.add_column("measure", overflow="fold")
        table.add_column("value", justify="right", no_wrap=True)
        table.add_column("rests on", overflow="fold")
        for result in view.results:
            if result.value is not None:
                rests = rests_on(result.metric, result.labels) or "no labels"
                table.add_row(
                    Text(self.line(result.metric)),
                    Text(as_number(result.value), style="bold"),
                    Text(self.line(rests), style="dim"),
                )
        if table.row_count:
            self.console.print(table)
        for reason, names in without_value(view.results).items():
            self.show((f"n/a, {self.line(reason)}: {', '.join(self.line(name) for name in names)}", "dim"))

    # -- many runs

    def averages(self, rows: Sequence[AverageRow]) -> None:
        if not rows:
            self.show(("no measures", "italic dim"))
            return
        table = self.table()
        table.add_column("measure", overflow="fold", min_width=20)
        table.add_column("mean", justify="right", no_wrap=True)
        roomy = self.console.width >= ROOMY
        if roomy:
            table.add_column("95 % interval", overflow="fold", min_width=13)
        table.add_column("scored", justify="right", no_wrap=True)
        table.add_column("not scored", overflow="fold")
        table.add_column("failed", justify="right", no_wrap=True)
        wide = self.console.width >= WIDE
        if wide:
            table.add_column("rests on", overflow="fold")
        for row in rows:
            reasons = "\n".join(f"{count:,}: {self.line(reason)}" for reason, count in row.not_scored)
            name, rests = (
                Text(self.line(row.metric)),
                Text(row.rests_on or ("no labels" if row.scored else "-"), style="dim"),
            )
            if not wide and row.rests_on:
                name.append(f" ({row.rests_on})", style="dim")
            cells = [
                name,
                Text(row.mean if roomy or not row.interval else f"{row.mean}\n{row.interval}", style="bold"),
                *([Text(row.interval or "-", style="dim")] if roomy else []),
                Text(f"{row.scored:,}"),
                Text(reasons or "0", style="dim"),
                Text(f"{row.failed:,}", style="bold red" if row.failed else ""),
            ]
            table.add_row(*cells, *([rests] if wide else []))
        self.console.print(table)

    def table(self) -> Table:
        return Table(
            box=None,
            padding=(0, 2 if self.console.width >= WIDE else 1, 0, 0),
            header_style="dim",
            show_edge=False,
            safe_box=True,
        )
