"""What a node was cut from: by its metadata, else the document that LlamaIndex's splitter noted."""

from typing import Any

import pytest
from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode
from llamaindex_fakes import QUESTION, TEXTS, FakeRetriever, engine
from whole_record import only_run

from rag_eval_hooks_llamaindex import Attachment


@pytest.mark.parametrize(
    ("metadata", "source", "page"),
    [
        pytest.param({}, "doc-1", None, id="the splitter's note"),
        pytest.param({"file_name": "rhine.pdf", "page_label": "7"}, "rhine.pdf", "7", id="a file's name comes first"),
    ],
)
def test_a_chunk_knows_its_document(
    attachment: Attachment, metadata: dict[str, Any], source: str, page: str | None
) -> None:
    def find(query: str) -> list[NodeWithScore]:
        node = TextNode(id_="a", text=TEXTS["a"], metadata=dict(metadata))
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id="doc-1")
        return [NodeWithScore(node=node, score=0.5)]

    engine(retriever=FakeRetriever(find=find)).query(QUESTION)
    (chunk,) = only_run(attachment).chunks
    assert (chunk.source, chunk.page) == (source, page)
