"""The demo's search as a retriever of LlamaIndex."""

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from rag_eval_hooks.demo.prompt import item_text
from rag_eval_hooks.demo.search import Bm25Index
from rag_eval_hooks.record import Chunk

__all__ = ["Bm25Retriever"]

SHOWN = "source"
"""The entry of the metadata that the model gets to see."""


class Bm25Retriever(BaseRetriever):
    """Returns what the index finds.

    Args:
        index: What is asked.
    """

    def __init__(self, index: Bm25Index) -> None:
        super().__init__()
        self.index = index

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self.index.search(query_bundle.query_str)
        return [NodeWithScore(node=_node(chunk, rank), score=score) for rank, (chunk, score) in enumerate(found, 1)]


def _node(chunk: Chunk, number: int) -> TextNode:
    """Returns the chunk as a node that says itself how a prompt shows it: below its number and its source."""
    return TextNode(
        id_=chunk.id,
        text=chunk.text,
        metadata={**chunk.metadata},
        excluded_llm_metadata_keys=[key for key in chunk.metadata if key != SHOWN],
        metadata_template="{value}",
        text_template=item_text(number, "{metadata_str}", "{content}"),
    )
