"""Turns the questions' labels (pages and phrases) into labels of chunks of the running Python's reference."""

from collections.abc import Mapping, Sequence
from itertools import islice, product

from rag_eval_hooks.demo.questions import QUESTIONS, Evidence, Question
from rag_eval_hooks.record import Chunk, Gold, RagRun

__all__ = ["GoldLookup", "chunks_with", "gold_for"]

_MAX_SETS = 20
"""No question has near this many alternatives; the bound keeps a careless new label from making thousands."""


def chunks_with(evidence: Evidence, chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """Returns the ids of the chunks that state this fact: chunks of one of its pages that hold one of its phrases."""
    return tuple(
        chunk.id
        for chunk in chunks
        if {chunk.metadata["topic"], *chunk.metadata["also_in"]}.intersection(evidence.topics)
        and any(phrase in " ".join(chunk.text.split()) for phrase in evidence.phrases)
    )


def gold_for(question: Question, chunks: Sequence[Chunk]) -> Gold:
    """Returns the labels of one question.

    Every chunk that states one of the needed facts is relevant (grade 1). An evidence set takes one chunk for each
    needed fact; all such choices are alternatives. A question that the reference does not answer has no relevant chunk
    and the empty text as its right answer.
    """
    if not question.evidence:
        return Gold(relevance={}, answer="")
    parts = [chunks_with(evidence, chunks) for evidence in question.evidence]
    sets = dict.fromkeys(tuple(dict.fromkeys(choice)) for choice in islice(product(*parts), _MAX_SETS))
    return Gold(relevance={chunk: 1.0 for part in parts for chunk in part}, evidence_sets=tuple(sets))


class GoldLookup:
    """Finds the labels of a recorded run by its question: what `Hooks(gold=...)` takes."""

    def __init__(self, chunks: Sequence[Chunk], questions: Sequence[Question] = QUESTIONS) -> None:
        self._by_text: Mapping[str, Gold] = {one.text: gold_for(one, chunks) for one in questions}

    def __call__(self, run: RagRun) -> Gold | None:
        """Returns the labels for the run's question, or None for a question without labels."""
        return self._by_text.get(run.question or "")
