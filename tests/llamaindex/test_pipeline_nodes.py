"""What nodes hold: kinds, texts with and without metadata around them, where they were cut from, odd metadata."""

from datetime import date
from typing import Any

import pytest
from asking import ONCE, ask
from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    RelatedNodeInfo,
    TextNode,
)
from llamaindex_expected import expected
from llamaindex_fakes import ANSWER, QUESTION, TEXTS, FakeLLM, FakeRetriever, engine
from whole_record import only_run, whole

from rag_eval_hooks.record import chunk_id
from rag_eval_hooks_llamaindex import Attachment

pytestmark = pytest.mark.usefixtures("offline")

PIXELS = "iVBORw0KGgo" * 1_000


def search(*found: BaseNode, score: float | None = 0.9) -> FakeRetriever:
    return FakeRetriever(find=lambda _: [NodeWithScore(node=node, score=score) for node in found])


def one(node: BaseNode, *, prompt: Any = None, **options: Any) -> Any:
    """An engine that finds this node."""

    def say(messages: Any) -> str:
        if prompt is not None:
            prompt.append("\n".join(str(message.content) for message in messages))
        return ANSWER

    return engine(retriever=search(node), llm=FakeLLM(say=say), **options)


def record(attachment: Attachment, **changes: Any) -> None:
    """Compares the only record with the usual one of one node."""
    stages = [f"1 retrieve FakeRetriever({QUESTION}): {changes.get('chunks', 'a')}=0.9"]
    assert whole(only_run(attachment)) == expected(
        **{"chunks": "a", "stages": stages, "context": changes.get("chunks", "a"), **changes}
    )


FILE = {"source": "a.txt"}


# Kinds ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ONCE)
@pytest.mark.parametrize(
    "node",
    [
        pytest.param(TextNode(id_="a", text=TEXTS["a"], metadata=FILE), id="text"),
        pytest.param(Document(id_="a", text=TEXTS["a"], metadata=FILE), id="document"),
        pytest.param(IndexNode(id_="a", text=TEXTS["a"], metadata=FILE, index_id="b"), id="index"),
        pytest.param(ImageNode(id_="a", text=TEXTS["a"], metadata=FILE, image=PIXELS), id="image with a text"),
    ],
)
def test_kinds_of_nodes(attachment: Attachment, node: BaseNode, way: str) -> None:
    ask(one(node), way)
    record(attachment)


def test_a_node_of_resources(attachment: Attachment) -> None:
    schema: Any = pytest.importorskip("llama_index.core.schema")
    if not hasattr(schema, "MediaResource"):
        pytest.skip("this version has no nodes of resources")
    text = schema.MediaResource(text=TEXTS["a"])
    ask(one(schema.Node(id_="a", text_resource=text, metadata=FILE)), "query")
    record(attachment)


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_node_without_text(attachment: Attachment, text: str) -> None:
    """It was found, and it is in no prompt."""
    ask(
        engine(retriever=search(TextNode(id_="a", text=TEXTS["a"], metadata=FILE), TextNode(id_="e", text=text))),
        "query",
    )
    assert whole(only_run(attachment)) == expected(
        chunks="a e",
        stages=[f"1 retrieve FakeRetriever({QUESTION}): a=0.9 e=0.9"],
        context="a",
        texts={"e": text},
        metadata_of={"a": FILE},
        sources="a.txt",
    )


def test_an_image_without_text(attachment: Attachment) -> None:
    """Its data is nowhere in the record."""
    ask(one(ImageNode(id_="a", image=PIXELS, metadata=FILE)), "query")
    assert PIXELS not in only_run(attachment).model_dump_json()
    record(attachment, context=None, texts={"a": ""})


def test_nodes_without_an_id_of_their_own(attachment: Attachment) -> None:
    """An empty id is none: the text stands for it."""
    ask(one(TextNode(id_="", text=TEXTS["a"], metadata=FILE)), "query")
    name = chunk_id(TEXTS["a"])
    record(attachment, chunks=name, texts={name: TEXTS["a"]}, metadata_of={name: FILE}, sources="a.txt")


def test_scores(attachment: Attachment) -> None:
    """No score is none; zero and less are scores; ranks are by place, whatever the scores are."""
    found = [
        NodeWithScore(node=TextNode(id_=key, text=TEXTS[key], metadata={"source": f"{key}.txt"}), score=score)
        for key, score in (("a", None), ("b", 0.0), ("c", -1.5), ("d", 7.0))
    ]
    ask(engine(retriever=FakeRetriever(find=lambda _: found)), "query")
    assert whole(only_run(attachment)) == expected(
        chunks="a b c d", stages=[f"1 retrieve FakeRetriever({QUESTION}): a b=0 c=-1.5 d=7"], context="a b c d"
    )


def test_the_same_node_twice(attachment: Attachment) -> None:
    """LlamaIndex returns it once; where a retriever of one's own returns it twice, it stands there twice."""
    node = TextNode(id_="a", text=TEXTS["a"], metadata=FILE)
    ask(engine(retriever=search(node, node)), "query")
    (stage,) = only_run(attachment).stages
    assert [item.chunk for item in stage.items] in ([0], [0, 0])


# Texts ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "in_prompt"),
    [
        pytest.param({}, f"source: a.txt\n\n{TEXTS['a']}", id="as usual"),
        pytest.param({"excluded_llm_metadata_keys": ["source"]}, f"\n{TEXTS['a']}\n", id="hidden metadata"),
        pytest.param(
            {"text_template": "<<{metadata_str}>>\n{content}\n<<end>>"},
            f"<<source: a.txt>>\n{TEXTS['a']}\n<<end>>",
            id="text template",
        ),
        pytest.param({"metadata_template": "{key} is {value}"}, f"source is a.txt\n\n{TEXTS['a']}", id="entries"),
        pytest.param({"metadata_separator": " | "}, f"source: a.txt\n\n{TEXTS['a']}", id="separator"),
    ],
)
def test_metadata_around_the_text_is_no_part_of_it(attachment: Attachment, options: Any, in_prompt: str) -> None:
    """The chunk is the bare text, and is found in the prompt whatever stands around it there."""
    prompts: list[str] = []
    ask(one(TextNode(id_="a", text=TEXTS["a"], metadata=FILE, **options), prompt=prompts), "query")
    assert in_prompt in prompts[0]
    record(attachment)


def test_a_node_that_is_only_metadata(attachment: Attachment) -> None:
    """The prompt holds its metadata; but there is no text of it to be found there."""
    node = TextNode(id_="a", text="", metadata=FILE | {"title": "On the Rhine"})
    assert "On the Rhine" in node.get_content(metadata_mode=MetadataMode.LLM)
    ask(one(node), "query")
    record(
        attachment, context=None, texts={"a": ""}, metadata_of={"a": FILE | {"title": "On the Rhine"}}, sources="a.txt"
    )


def test_a_text_that_is_cut_off_in_the_prompt(attachment: Attachment) -> None:
    """The prompt is cut by a hand-written engine; the record says how much is left."""
    from test_pipeline_composites import Own

    class Cutting(Own):
        def custom_query(self, query_str: str) -> str:
            found = self.retriever.retrieve(query_str)
            return str(self.llm.complete(f"{found[0].node.text[:60]}...\n\n{query_str}"))

    ask(Cutting(retriever=FakeRetriever("a"), llm=FakeLLM()), "query")
    record(attachment, context=f"a:head:{60 / len(TEXTS['a']):.2f}")


# Where they come from ------------------------------------------------------------------------------------------------


def cut_from(**info: Any) -> TextNode:
    """A node that was cut from a document, as a splitter makes it."""
    return TextNode(
        id_="a",
        text=TEXTS["a"],
        start_char_idx=100,
        end_char_idx=175,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id="doc-1", **info)},
        metadata=info.get("metadata", {}),
    )


def test_a_node_knows_its_document(attachment: Attachment) -> None:
    """The document's id stands in for a file name; where it stood there is kept."""
    ask(one(cut_from()), "query")
    place = {"ref_doc_id": "doc-1", "start_index": 100, "end_index": 175}
    record(attachment, metadata_of={"a": place}, sources="doc-1")


def test_a_file_name_says_more_than_a_documents_id(attachment: Attachment) -> None:
    ask(one(cut_from(metadata={"file_name": "rhine.pdf", "page_label": "7"})), "query")
    run = only_run(attachment)
    assert (run.chunks[0].source, run.chunks[0].page) == ("rhine.pdf", "7")


def test_other_relations_leave_no_trace(attachment: Attachment) -> None:
    """Neighbours and parents are the store's business."""
    node = TextNode(
        id_="a",
        text=TEXTS["a"],
        metadata=FILE,
        relationships={
            NodeRelationship.NEXT: RelatedNodeInfo(node_id="b"),
            NodeRelationship.PARENT: RelatedNodeInfo(node_id="p"),
            NodeRelationship.CHILD: [RelatedNodeInfo(node_id="c")],
        },
    )
    ask(one(node), "query")
    record(attachment)


# Metadata ------------------------------------------------------------------------------------------------------------


class Odd:
    """An object that nobody can write down."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_metadata_that_cannot_be_written_down(attachment: Attachment) -> None:
    """What is no plain value is told by its text or its type; the application's own objects stay as they are."""
    odd = Odd()
    metadata = FILE | {"day": date(2024, 5, 1), "odd": odd, "tags": {"one", "two"}, "nested": {"deep": [1, 2.5, None]}}
    node = TextNode(id_="a", text=TEXTS["a"], metadata=metadata, excluded_llm_metadata_keys=[*metadata])
    ask(one(node), "query")
    run = only_run(attachment)
    kept = dict(run.chunks[0].metadata)
    assert sorted(kept.pop("tags")) == ["one", "two"]
    assert kept == FILE | {"day": "2024-05-01", "odd": "<Odd>", "nested": {"deep": [1, 2.5, None]}}
    assert [run.chunks[item.chunk].id for item in run.context] == ["a"]
    assert node.metadata["odd"] is odd


def test_metadata_that_is_changed_later(attachment: Attachment) -> None:
    """The record holds what was found, not what became of it."""
    node = TextNode(id_="a", text=TEXTS["a"], metadata=dict(FILE))
    response = one(node, node_postprocessors=[]).query(QUESTION)
    response.source_nodes[0].node.metadata["source"] = "other.txt"
    node.metadata.clear()
    record(attachment)
