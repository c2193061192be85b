"""What the rules of diagnosis look at: a run and its attribution, seen once and shared."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice

from rag_eval_hooks.attribution import Attributor, attribute
from rag_eval_hooks.diagnosis.asked import unmet
from rag_eval_hooks.metrics.labels import EvidenceSet, JudgedSource, evidence_sets, given_labels, grades, needed_items
from rag_eval_hooks.metrics.matching import match, states, without_marks
from rag_eval_hooks.record import Attribution, Chunk, CitationStyle, Claim, Gold, RagRun
from rag_eval_hooks.record.limits import MAX_ANSWER, MAX_CHUNK

__all__ = ["UNSUPPORTED_AT_MOST", "Situation", "count", "items_in", "listed"]

MAX_LISTED = 8
MAX_SAID = 200
MAX_RIGHT = 10_000
"""Characters of a right answer that are looked for."""
MOST_RIGHT = 100
"""Right answers that are looked for."""
UNSUPPORTED_AT_MOST = 0.8
"""Attribution compares words and values: a claim that none of the context's words back may paraphrase it."""
FAR = 0.1
"""Probability of support below which a claim and the context have little more than words in common; one with a changed
value lies above."""
BY_JUDGE = 0.8
"""Factor where the labels are a judge's: a model gave them, and no person looked."""


class Situation:
    """A run and what attribution concluded, with what several rules need computed at most once."""

    def __init__(self, run: RagRun, attribution: Attribution, attributor: Attributor | None = None) -> None:
        self.run = run
        self.attribution = attribution
        self.attributor = attributor

    @cached_property
    def answered(self) -> bool:
        """Whether there is a whole answer that is no refusal: only then claims and citations are judged."""
        return self.run.answer_is_whole and self.attribution.answer_kind == "answer"

    @cached_property
    def refused(self) -> bool:
        """Whether the whole answer is a refusal."""
        return self.run.answer_is_whole and self.attribution.answer_kind == "refusal"

    @cached_property
    def source(self) -> JudgedSource:
        """Whose labels the rules go by: people's, or a judge's where no person gave any."""
        return "gold" if self.run.gold is not None else "judge"

    @cached_property
    def labels(self) -> Gold | None:
        """The labels, where there are any."""
        return given_labels(self.run, self.source)

    @cached_property
    def labeller(self) -> str:
        """Whose they are, in the words of `why`."""
        return "gold" if self.source == "gold" else "the judge"

    @cached_property
    def trust(self) -> float:
        """Factor for the confidence of what rests on labels."""
        return 1.0 if self.source == "gold" else BY_JUDGE

    @cached_property
    def relevant(self) -> frozenset[str]:
        """Ids that the labels call relevant, name in an evidence set, or that cover a gold span."""
        graded, _ = grades(self.run, None, self.source)
        items = (item for one in self.sets for item in one)
        return frozenset(identifier for identifier, grade in graded.items() if grade > 0).union(*items)

    @cached_property
    def sets(self) -> tuple[EvidenceSet, ...]:
        """Alternative evidence sets; the spans as the one set where none are named, else the relevant ids."""
        found, _ = needed_items(self.run, self.source, "chunk")
        if found:
            return found
        # Spans whose chunks do not say their place tell nothing; relevant ids beside them still do.
        return tuple(tuple(frozenset((identifier,)) for identifier in one) for one in evidence_sets(self.labels))

    @cached_property
    def sets_are_given(self) -> bool:
        """Whether the labels name evidence sets: relevant ids alone do not say that all of them are needed."""
        return self.labels is not None and any(self.labels.evidence_sets or ())

    @cached_property
    def retrieved(self) -> frozenset[str]:
        """Ids that any step of any round returned, be it dropped later."""
        chunks = self.run.chunks
        return frozenset(chunks[item.chunk].id for stage in self.run.stages for item in stage.items)

    @cached_property
    def packed(self) -> frozenset[str]:
        """Ids that reached the generator, with the ids of the chunks they were cut or rewritten from."""
        ids: set[str] = set()
        for chunk in self.run.context_chunks():
            ids.add(chunk.id)
            if chunk.derived_from is not None:
                ids.add(chunk.derived_from)
        return frozenset(ids)

    @cached_property
    def packing_is_known(self) -> bool:
        """Whether the run got as far as a prompt, so that what is not in the context was left out of it."""
        return bool(self.run.context) or (self.run.answer_is_whole and bool(self.run.judged_answer.strip()))

    def set_in(self, ids: frozenset[str]) -> bool:
        """Returns whether one evidence set is wholly among `ids`."""
        return any(len(items_in(one, ids)) == len(one) for one in self.sets)

    def ranks_of(self, ids: Iterable[str]) -> tuple[int, ...]:
        """Returns the ranks, in `Evaluation.chunks`, of the chunks with one of these ids."""
        wanted = frozenset(ids)
        return tuple(verdict.rank for verdict in self.attribution.chunks if verdict.id in wanted)

    @cached_property
    def is_unanswerable(self) -> bool:
        """Whether the labels say so: an empty right answer, a context that does not suffice, or nothing relevant."""
        labels = self.labels
        if labels is None:
            return False
        if labels.sufficient is False or (labels.answer is not None and not labels.answer.strip()):
            return True
        return labels.relevance is not None and not self.relevant and not labels.answer

    @cached_property
    def wrong_ranks(self) -> tuple[int, ...]:
        """Ranks of the chunks that are on the topic, but about another year, version or name than was asked for.

        Those that attribution finds to have another value in its place; or, where no chunk has what was asked for,
        those that the answer used.
        """
        chunks = [one for one in self.attribution.chunks if one.in_prompt]
        wrong = tuple(one.rank for one in chunks if one.wrong_value)
        used = tuple(one.rank for one in chunks if one.use == "used")
        if wrong and set(used) <= set(wrong):
            return wrong
        if not used or self.owes_nothing:
            return ()
        return used if self.unmet_words else ()

    @cached_property
    def unmet_words(self) -> tuple[str, ...]:
        """What the question asks about by name, year or version and no chunk has."""
        # A chunk often says in its metadata alone which year or product it is about.
        named = [f"{chunk.text}\n{_said_in_metadata(chunk)}" for chunk in self.run.context_chunks()]
        return tuple(unmet(self.run.question or "", self.run.judged_answer, named))

    @cached_property
    def owes_nothing(self) -> bool:
        """Whether the answer seems to owe nothing to the context: it used no chunk, or no claim is near one."""
        if not any(one.use == "used" for one in self.attribution.chunks):
            return True
        return all(
            claim.verdict != "conflict" and claim.probability is not None and claim.probability < FAR
            for claim in self.checkable
        )

    @cached_property
    def _texts(self) -> list[str]:
        return [chunk.text for chunk in self.run.context_chunks()]

    @cached_property
    def right_answers(self) -> tuple[str, ...]:
        """The right answers that labels give, the aliases with them; the first of very many, and their beginnings."""
        labels = self.labels
        texts = (labels.answer, *labels.aliases) if labels is not None else ()
        given = (text.strip()[:MAX_RIGHT] for text in texts if text is not None and text.strip())
        return tuple(islice(given, MOST_RIGHT))

    @cached_property
    def is_right(self) -> bool:
        """Whether the answer states a right answer."""
        return self.says_right(self._without_marks)

    @cached_property
    def _without_marks(self) -> str:
        """The answer with blanks in the place of its citation marks."""
        return without_marks(self.run.judged_answer, self.attribution)

    def says_right(self, text: str) -> bool:
        """Returns whether a text states a right answer, or is one."""
        said, question = text[:MAX_ANSWER], self.run.question or ""
        return any(states(said, right) or match(said, right, question) == 1 for right in self.right_answers)

    @cached_property
    def context_states_answer(self) -> bool:
        """Whether a chunk that the generator got states a right answer."""
        return any(states(text[:MAX_CHUNK], right) for right in self.right_answers for text in self._texts)

    @cached_property
    def against_evidence(self) -> tuple[Claim, ...]:
        """The supported claims that rest on other chunks as well, and that the evidence alone does not back."""
        relevant = self.relevant
        supported = [
            claim
            for claim in self.checkable
            if claim.verdict == "supported" and any(one.id not in relevant for one in claim.supported_by)
        ]
        if not supported:
            return ()
        kept = tuple(item for item in self.run.context if self.run.chunks[item.chunk].id in relevant)
        # Without the other chunks their ids and titles would be no marks any more, but words of the answer.
        answer = self._without_marks
        only = {"context": kept, "citations": CitationStyle(), "answer": answer, "llm_text": answer}
        alone = attribute(self.run.model_copy(update=only), self.attributor).claims
        refuted = [claim.span for claim in alone if claim.verdict in ("conflict", "unsupported")]
        starts = [start for start, _ in refuted]
        return tuple(claim for claim in supported if _lies_in(claim.span[1] - 1, starts, refuted))

    @cached_property
    def unsupported(self) -> tuple[Claim, ...]:
        """The checkable claims that the context does not back; where nothing was seen, nothing is said."""
        return tuple(one for one in self.checkable if one.verdict == "unsupported" and one.probability is not None)

    @cached_property
    def checkable(self) -> tuple[Claim, ...]:
        """The claims that need evidence."""
        return tuple(claim for claim in self.attribution.claims if claim.needs_evidence)


def _lies_in(at: int, starts: Sequence[int], spans: Sequence[tuple[int, int]]) -> bool:
    """Whether an offset lies in one of some spans, which are in order and do not overlap."""
    before = bisect_right(starts, at) - 1
    return before >= 0 and at < spans[before][1]


def _said_in_metadata(chunk: Chunk) -> str:
    """Returns the short texts and numbers of a chunk's metadata as words: `annual_report_2019.pdf` names its year."""
    said = [str(value)[:MAX_SAID] for value in chunk.metadata.values() if isinstance(value, (str, int))]
    return " ".join(said).replace("_", " ").replace("-", " ").replace("/", " ")


def items_in(one: EvidenceSet, ids: frozenset[str]) -> tuple[frozenset[str], ...]:
    """Returns the items of an evidence set that `ids` provide.

    >>> items_in((frozenset("ab"), frozenset("c")), frozenset("bx")) == (frozenset("ab"),)
    True
    """
    return tuple(item for item in one if not ids.isdisjoint(item))


def count(number: int, noun: str) -> str:
    """Returns a number with its noun.

    >>> count(1, "claim"), count(2, "claim")
    ('1 claim', '2 claims')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(numbers: Sequence[int]) -> str:
    """Returns numbers as text, the first few of many.

    >>> listed([1, 3]), listed(range(20))
    ('1, 3', '0, 1, 2, 3, 4, 5, 6, 7 and 12 more')
    """
    shown = ", ".join(str(number) for number in numbers[:MAX_LISTED])
    return shown if len(numbers) <= MAX_LISTED else f"{shown} and {len(numbers) - MAX_LISTED} more"
