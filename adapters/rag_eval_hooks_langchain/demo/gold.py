"""Turns the questions' labels (pages and phrases) into labels of chunks of the running Python's reference."""

from collections.abc import Mapping, Sequence
from itertools import islice, product

from langchain_core.documents import Document

from rag_eval_hooks.record import Gold, RagRun
from rag_eval_hooks_langchain.demo.questions import QUESTIONS, Evidence, Question

__all__ = ["GoldLookup", "chunks_with", "gold_for"]

_MAX_SETS = 20
"""No question has near this many alternatives; the bound keeps a careless new label from making thousands."""


def chunks_with(evidence: Evidence, documents: Sequence[Document]) -> tuple[str, ...]:
    """Returns the ids of the chunks that state this fact: chunks of one of its pages that hold one of its phrases."""
    return tuple(
        str(document.id)
        for document in documents
        if {document.metadata["topic"], *document.metadata["also_in"]}.intersection(evidence.topics)
        and any(phrase in " ".join(document.page_content.split()) for phrase in evidence.phrases)
    )


def gold_for(question: Question, documents: Sequence[Document]) -> Gold:
    """Returns the labels of one question.

    Every chunk that states one of the needed facts is relevant (grade 1). An evidence set takes one chunk for each
    needed fact; all such choices are alternatives. A question that the reference does not answer has no relevant chunk
    and the empty text as its right answer.
    """
    if not question.evidence:
        return Gold(relevance={}, answer="")
    parts = [chunks_with(evidence, documents) for evidence in question.evidence]
    sets = dict.fromkeys(tuple(dict.fromkeys(choice)) for choice in islice(product(*parts), _MAX_SETS))
    return Gold(relevance={chunk: 1.0 for part in parts for chunk in part}, evidence_sets=tuple(sets))


class GoldLookup:
    """Finds the labels of a recorded run by its question: what `RagEvalCallbackHandler(gold=...)` takes."""

    def __init__(self, documents: Sequence[Document], questions: Sequence[Question] = QUESTIONS) -> None:
        self._by_text: Mapping[str, Gold] = {one.text: gold_for(one, documents) for one in questions}

    def __call__(self, run: RagRun) -> Gold | None:
        """Returns the labels for the run's question, or None for a question without labels."""
        return self._by_text.get(run.question or "")
