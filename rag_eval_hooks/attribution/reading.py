"""One answer read against its context: statements, marks, and what each distinct chunk gives for each statement."""

from collections.abc import Sequence
from functools import cache

from rag_eval_hooks.attribution.claims import Statement, blank, split_statements
from rag_eval_hooks.attribution.evidence import Evidence, fold_text
from rag_eval_hooks.attribution.fold import Folded, fold
from rag_eval_hooks.attribution.marks import find_marks
from rag_eval_hooks.attribution.match import Judgement, Query, judge
from rag_eval_hooks.attribution.terms import terms
from rag_eval_hooks.record import RagRun
from rag_eval_hooks.record.evaluation import AnswerKind

__all__ = ["Reading"]

MAX_ANSWER = 200_000
MAX_CLAIMS = 500


class Reading:
    """What attribution knows of a run before it concludes anything.

    Equal chunks are one text: they are judged once and share the verdict.

    Args:
        run: A run whose answer is whole and not blank.
    """

    def __init__(self, run: RagRun) -> None:
        self.answer = run.judged_answer
        read = self.answer[:MAX_ANSWER]
        self.context = list(run.context_chunks())
        self.marks = find_marks(read, len(self.context), run.citations.base)
        statements = split_statements(read, self.marks)
        self.kind = _answer_kind(statements)
        self.statements = [] if self.kind == "refusal" else statements
        visible = blank(read, [(mark.start, mark.end) for mark in self.marks])
        folded = fold(visible)
        forms, originals, self.place_of = self._distinct()
        self.evidence = Evidence(forms, originals, {term for term, _, _ in terms(folded.text)})
        query = Query(fold(run.question or "").text)
        # Citations ask for the same spans again.
        self.weigh = cache(lambda start, end: judge(folded, visible, start, end, query, self.evidence))
        self.judged: list[Judgement] = [self.weigh(one.start, one.end) for one in self.statements[:MAX_CLAIMS]]

    @property
    def stated(self) -> list[Judgement]:
        """What the texts give for each statement proper, without greetings and questions."""
        return [found for one, found in zip(self.statements, self.judged, strict=False) if one.kind == "statement"]

    def _distinct(self) -> tuple[list[Folded], list[str], tuple[int, ...]]:
        """Returns the distinct texts, folded and as they were, and for each context position the index of its text."""
        index: dict[str, int] = {}
        forms: list[Folded] = []
        originals: list[str] = []
        places: list[int] = []
        for chunk in self.context:
            form = fold_text(chunk.text)
            key = " ".join(form.text.split())
            if key not in index:
                index[key] = len(forms)
                forms.append(form)
                originals.append(chunk.text)
            places.append(index[key])
        return forms, originals, tuple(places)


def _answer_kind(statements: Sequence[Statement]) -> AnswerKind:
    telling = [one for one in statements if one.kind in ("statement", "refusal")]
    if telling and all(one.kind == "refusal" for one in telling):
        return "refusal"
    return "answer"
