"""Node postprocessors of one's own, and the records of a search that they come after."""

from collections.abc import Callable
from typing import Any

from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.events.rerank import ReRankEndEvent, ReRankStartEvent
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from llamaindex_expected import expected
from llamaindex_fakes import QUESTION

__all__ = ["EMPTY", "FOUND", "Inner", "Mine", "Reranker", "done"]

FOUND = f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 c=0.7 (inner)"

EMPTY = {
    "answer": "Empty Response",
    "context": None,
    "context_source": "last_stage",
    "usage": "0 None>None",
    "answer_usage": None,
    "flags": ("no_model_events",),
}
"""What differs where no node was left."""


def done(*stages: str, **changes: Any) -> dict[str, Any]:
    """The usual record with these stages after the search."""
    return expected(stages=[changes.pop("found", FOUND), *stages], **changes)


dispatcher = get_dispatcher("tests")


def turned(found: list[NodeWithScore]) -> list[NodeWithScore]:
    """The last two first, with new scores in the same objects."""
    for place, one in enumerate(found[::-1]):
        one.score = 1 - place / 10
    return found[::-1][:2]


class Reranker(BaseNodePostprocessor):
    """Tells of itself by events, as those of model providers do."""

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return self.ranked(nodes, query_bundle)

    def ranked(self, found: list[NodeWithScore], query: QueryBundle | None) -> list[NodeWithScore]:
        dispatcher.event(ReRankStartEvent(query=query, nodes=found, top_n=2, model_name="ranker-1"))
        best = turned(found)
        dispatcher.event(ReRankEndEvent(nodes=best))
        return best


class Mine(BaseNodePostprocessor):
    """Returns what a function makes of the nodes."""

    make: Callable[[list[NodeWithScore]], Any]

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        made: list[NodeWithScore] = self.make(nodes)
        return made


class Inner(Mine):
    """One that another calls."""
