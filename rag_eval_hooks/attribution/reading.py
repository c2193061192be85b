"""One answer read against its context: statements, marks, and what each distinct chunk gives for each statement."""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache

from rag_eval_hooks._give_way import give_way
from rag_eval_hooks.attribution.anchors import Anchor
from rag_eval_hooks.attribution.asked import other_values
from rag_eval_hooks.attribution.attributor import Attributor
from rag_eval_hooks.attribution.calibration import Scaling
from rag_eval_hooks.attribution.citations.needs import needs_citation
from rag_eval_hooks.attribution.citations.provided import with_provided
from rag_eval_hooks.attribution.citations.sources import Sources
from rag_eval_hooks.attribution.claims import Statement, blank, split_statements
from rag_eval_hooks.attribution.evidence import Evidence, anchors_of
from rag_eval_hooks.attribution.fold import Folded, fold
from rag_eval_hooks.attribution.marks import find_marks
from rag_eval_hooks.attribution.match import Judgement, Query, judge
from rag_eval_hooks.attribution.related import alternatives
from rag_eval_hooks.attribution.slots import is_designation
from rag_eval_hooks.attribution.terms import terms
from rag_eval_hooks.attribution.wanted import Wanted, wanted
from rag_eval_hooks.record import Chunk, RagRun
from rag_eval_hooks.record.evaluation import AnswerKind
from rag_eval_hooks.record.limits import (
    LIMITS,
    MAX_ANSWER,
    MAX_CHUNK,
    MAX_CLAIMS,
    MAX_CONTEXT,
    MAX_MARKS,
    MAX_POSTINGS,
    MAX_QUESTION,
    MAX_TERMS,
)

__all__ = ["Reading"]


class Reading:
    """What attribution knows of a run before it concludes anything.

    Equal chunks are one text: they are judged once and share the verdict.

    Args:
        run: A run whose answer is whole and not blank.
        attributor: What to go by.
    """

    def __init__(self, run: RagRun, attributor: Attributor | None = None) -> None:
        self.attributor = attributor or Attributor()
        self.background = self.attributor.effective_background
        self.answer = run.judged_answer
        read = self.answer[:MAX_ANSWER]
        self.context = list(run.context_chunks())
        self.was_seen = bool(run.context or run.stages)
        sources = Sources(self.context, run.citations, run.question)
        marks = find_marks(read, sources)
        self.left_out: set[str] = set()
        """Words of `LIMITS`; who leaves something out adds its word."""
        if len(marks) >= MAX_MARKS and find_marks(read[marks[-1].end :], sources):
            self.left_out.add("citations_cut")
        statements = split_statements(read, marks)
        self.marks, offsets_cut = with_provided(read, marks, run.citations.provided, sources, statements)
        if offsets_cut:
            self.left_out.add("offsets_cut")
        self.kind = _answer_kind(statements)
        self.statements = [] if self.kind == "refusal" else statements
        self._visible = blank(read, sorted(span for mark in self.marks for span in mark.hidden))
        self._folded = fold(self._visible)
        self._solid_places = cache(self._places)
        give_way()
        self._forms, self.read_chunks = _forms(self.context)
        distinct, self.place_of = self._distinct()
        forms = [self._forms[position] for position in distinct]
        originals = [self.context[position].text for position in distinct]
        give_way()
        self._question = run.question or ""
        asked = self._question[:MAX_QUESTION]
        question = fold(asked)
        self._folded_question = question.text
        self._query = Query(question.text)
        self.asked = question.text
        """The question, folded."""
        vocabulary = {term for term, _, _ in terms(self._folded.text)}
        vocabulary.update(*map(alternatives, tuple(vocabulary)))
        designates = any(map(is_designation, self._query.anchors))
        self.evidence = Evidence(forms, originals, vocabulary | self._query.terms if designates else vocabulary)
        self.wrong = other_values(question, asked, self.evidence, self.background) if designates else frozenset[int]()
        """The distinct texts that are about what was asked, but for another year, date, period, version or code."""
        give_way()
        self._known: dict[tuple[int, int], Judgement] = {}
        """What the texts give for each span of the answer that was asked for."""
        judged = self.statements[:MAX_CLAIMS]
        self.judged = [self._judge(one.start, one.end, only_alone=False) for one in judged]

    def weigh(self, start: int, end: int) -> Judgement:
        """Returns what each text gives for a span of the answer; together only where it is a statement."""
        return self._known.get((start, end)) or self._judge(start, end, only_alone=True)

    def statement_text(self, index: int) -> tuple[str, int]:
        """Returns a statement's folded text and where it begins in the folded answer."""
        start, end = self._folded.locate(self.statements[index].start, self.statements[index].end)
        return self._folded.text[start:end], start

    def answer_span(self, start: int, end: int) -> tuple[int, int]:
        """Returns the span of the answer behind a span of the folded one."""
        return self._folded.span(start, end)

    def values_nowhere(self, index: int) -> list[tuple[Anchor, bool]]:
        """Returns the numbers of a statement that no text states, each with whether it stands nowhere at all.

        One that only stands where a text speaks of nothing that the statement names is not stated either.
        """
        text, _ = self.statement_text(index)
        named: set[int] | None = None
        found = []
        for one in anchors_of(text)[:MAX_TERMS]:
            places = self.evidence.find_anchor(one) if one.values else [-1]
            if places and named is None:
                words = {term for term, _, _ in terms(text)}
                named = {place for word in words for place in self.evidence.find_term(word)}
            if not places or (
                named is not None and not is_designation(one) and one.values and named.isdisjoint(places)
            ):
                found.append((one, not places))
        return found

    def wanted_of(self, index: int) -> Wanted:
        """Returns what a statement says."""
        start, end = self._folded.locate(self.statements[index].start, self.statements[index].end)
        return wanted(self._folded, self._visible, start, end, self._query, self.evidence, self.background)

    def needs_citation(self, cited: Collection[int]) -> list[bool]:
        """Returns, for each statement, whether a reader expects it to carry a citation.

        Args:
            cited: Indices of the statements that carry one.
        """
        return needs_citation(self.answer, self._folded, self.statements, cited, self._folded_question, self._query)

    def replace(self, index: int, judgement: Judgement) -> None:
        """Puts another judgement in the place of a statement's own, for all who ask from now on."""
        self.judged[index] = judgement
        statement = self.statements[index]
        self._known[statement.start, statement.end] = judgement

    def _judge(self, start: int, end: int, *, only_alone: bool) -> Judgement:
        give_way()
        judgement = judge(
            self._folded,
            self._visible,
            start,
            end,
            self._query,
            self.evidence,
            self.background,
            only_alone=only_alone,
        )
        scaling = None if self.attributor.calibration is None else self.attributor.calibration.support
        self._known[start, end] = judgement = _calibrated(judgement, scaling)
        return judgement

    def limits(self) -> tuple[str, ...]:
        """Returns the words of `LIMITS` for what was left out so far, in their order."""
        postings = self.evidence.postings
        cut = {
            "question_cut": len(self._question) > MAX_QUESTION,
            "answer_cut": len(self.answer) > MAX_ANSWER,
            "claims_cut": len(self.statements) > MAX_CLAIMS,
            "range_cut": any(mark.is_cut for mark in self.marks),
            "chunk_cut": any(len(chunk.text) > MAX_CHUNK for chunk in self.context),
            "context_cut": self.read_chunks < len(self.context),
            "terms_cut": any(len(places) > MAX_POSTINGS for places in postings.values()),
        }
        left_out = self.left_out.union(*(judgement.cut for judgement in self.judged))
        return tuple(word for word in LIMITS if word in left_out or cut.get(word))

    @property
    def stated(self) -> list[Judgement]:
        """What the texts give for each statement proper, without greetings and questions."""
        return [found for one, found in zip(self.statements, self.judged, strict=False) if one.kind == "statement"]

    def span_in(self, position: int, sentence: int) -> tuple[int, int] | None:
        """Returns where a sentence of the evidence stands in the text of a context position, without blanks around it.

        Equal texts may differ in markup and white space, so the place is counted in characters that are not blank.
        """
        found = self.evidence.sentences[sentence]
        return self.span_of(position, found.chunk, found.start, found.end)

    def span_of(self, position: int, chunk: int, start: int, end: int) -> tuple[int, int] | None:
        """Returns where a piece of a distinct text stands in a context position's text, without blanks around it."""
        canonical, form = self.evidence.texts[chunk], self._forms[position]
        if form.text != canonical.text:
            before = _solid(canonical.text[:start])
            places = self._solid_places(position)
            inside = places[before : before + _solid(canonical.text[start:end])]
            start, end = (inside[0], inside[-1] + 1) if inside else (0, 0)
        piece = form.text[start:end]
        start, end = start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))
        return form.span(start, end) if start < end else None

    def _places(self, position: int) -> list[int]:
        return [place for place, char in enumerate(self._forms[position].text) if not char.isspace()]

    def _distinct(self) -> tuple[list[int], tuple[int, ...]]:
        """Returns the first position of each distinct text, and for each position the index of its text."""
        sizes = [_solid(form.text) for form in self._forms]
        rivals = Counter(sizes)
        index: dict[str | int, int] = {}
        first: list[int] = []
        places: list[int] = []
        for position, (form, size) in enumerate(zip(self._forms, sizes, strict=True)):
            # Texts of different sizes differ, so most need no comparison.
            key = size if rivals[size] == 1 else "".join(form.text.split())
            if key not in index:
                index[key] = len(first)
                first.append(position)
            places.append(index[key])
        return first, tuple(places)


def _calibrated(judgement: Judgement, scaling: Scaling | None) -> Judgement:
    """Returns the judgement with its probabilities of support as the calibration has them."""
    if scaling is None:
        return judgement
    backings = tuple(one._replace(support=scaling.apply(one.support)) for one in judgement.backings)
    return judgement._replace(support=scaling.apply(judgement.support), backings=backings)


def _forms(context: Sequence[Chunk]) -> tuple[list[Folded], int]:
    """Returns the folded texts of chunks, and how many chunks are read at all; of the others, the text is empty.

    Equal texts are folded and counted once. A chunk that would exceed `MAX_CONTEXT` is not read, and none behind it.
    """
    read: list[Folded] = []
    known: dict[str, Folded] = {}
    room = MAX_CONTEXT
    for chunk in context:
        text = chunk.text[:MAX_CHUNK]
        if text not in known:
            known[text] = fold(text)
            room -= len(known[text].text)  # one character may fold to 18
            if room < 0:
                break
        read.append(known[text])
    return read + [fold("")] * (len(context) - len(read)), len(read)


def _solid(text: str) -> int:
    """The number of characters that are not blank."""
    if text.isascii():  # folded, it has no other blanks
        return len(text) - text.count(" ") - text.count("\n") - text.count("\t")
    return sum(map(len, text.split()))


def _answer_kind(statements: Sequence[Statement]) -> AnswerKind:
    telling = [one for one in statements if one.kind in ("statement", "refusal")]
    if telling and all(one.kind == "refusal" for one in telling):
        return "refusal"
    return "answer"
