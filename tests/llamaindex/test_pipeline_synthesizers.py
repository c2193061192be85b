"""Response synthesizers: every mode, with a window into which all fits and one that splits what was found."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from agent_fakes import FakeAgentLLM
from asking import ONCE, WAYS, ask, is_streamed
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.indices.prompt_helper import PromptHelper
from llama_index.core.llms import LLM
from llama_index.core.prompts import PromptTemplate
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import (
    Accumulate,
    BaseSynthesizer,
    CompactAndRefine,
    Refine,
    SimpleSummarize,
    TreeSummarize,
    get_response_synthesizer,
)
from llama_index.core.response_synthesizers.compact_and_accumulate import CompactAndAccumulate
from llama_index.core.schema import ImageNode, NodeWithScore
from llamaindex_expected import expected
from llamaindex_fakes import ANSWER, QUESTION, FakeLLM, FakeRetriever, engine, nodes
from llamaindex_versions import CORE_VERSION, since_core
from pydantic import BaseModel
from whole_record import measured, only_run, whole

from rag_eval_hooks_llamaindex import Attachment

pytestmark = pytest.mark.usefixtures("offline")


def counting(text: str = "Part {} says Basel.") -> Callable[[Sequence[ChatMessage]], str]:
    """Says another text in each call, with its number."""
    calls: list[int] = []

    def say(_: Sequence[ChatMessage]) -> str:
        calls.append(len(calls) + 1)
        return text.format(calls[-1])

    return say


def used(calls: int, streamed: int = 0) -> dict[str, Any]:
    """What calls took, the last of them as well; those that streamed tell no token counts."""
    told = calls - streamed
    return {
        "usage": f"{calls} {100 * told or None}>{5 * told or None}",
        "answer_usage": "1 None>None" if streamed else "1 100>5",
    }


SEVERAL = ("several_prompts",)


def joined(count: int) -> str:
    """The answers of several calls, as `accumulate` puts them together."""
    return "\n---------------------\n".join(f"Response {n}: Part {n} says Basel." for n in range(1, count + 1))


# All in one window ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["compact", "tree_summarize", "simple_summarize", "generation"])
def test_one_call(attachment: Attachment, mode: str, way: str) -> None:
    asked = engine(llm=FakeLLM(say=counting()), response_mode=mode, streaming=is_streamed(way))
    assert ask(asked, way) == "Part 1 says Basel."
    assert whole(only_run(attachment)) == expected(
        answer="Part 1 says Basel.",
        context=None if mode == "generation" else "a b c",  # it is not given what was found
        **used(1, is_streamed(way)),
    )


@pytest.mark.parametrize("way", WAYS)
def test_refining(attachment: Attachment, way: str) -> None:
    """One call for each node; what all of them read is the context of the last one's text."""
    asked = engine(llm=FakeLLM(say=counting()), response_mode="refine", streaming=is_streamed(way))
    assert ask(asked, way) == "Part 3 says Basel."
    run = only_run(attachment)
    assert whole(run) == expected(answer="Part 3 says Basel.", flags=SEVERAL, **used(3, 3 * is_streamed(way)))
    assert (run.time_to_first_token_ms is not None) == is_streamed(way)


@pytest.mark.parametrize("way", ONCE)
def test_accumulating(attachment: Attachment, way: str) -> None:
    """The answer is the calls' texts, joined: no single call said it."""
    asked = engine(llm=FakeLLM(say=counting()), response_mode="accumulate", use_async=way == "aquery")
    assert ask(asked, way) == joined(3)
    run = whole(only_run(attachment))
    assert run.pop("llm_text") in {f"Part {n} says Basel." for n in (1, 2, 3)}
    assert run == expected(answer=joined(3), flags=SEVERAL, **used(3))


@pytest.mark.parametrize("way", ONCE)
def test_compacting_and_accumulating(attachment: Attachment, way: str) -> None:
    assert ask(engine(llm=FakeLLM(say=counting()), response_mode="compact_accumulate"), way) == joined(1)
    assert whole(only_run(attachment)) == expected(answer=joined(1), llm_text="Part 1 says Basel.")


NO_CALL = {
    "context": "a:assumed:1.00 b:assumed:1.00 c:assumed:1.00",
    "context_source": "last_stage",
    "usage": "0 None>None",
    "answer_usage": None,
}


@pytest.mark.parametrize("way", ONCE)
def test_no_text(attachment: Attachment, way: str) -> None:
    ask(engine(response_mode="no_text"), way)
    assert whole(only_run(attachment)) == expected(answer="", **NO_CALL)
    assert attachment.last is not None
    assert attachment.last.evaluation.answer_kind == "empty"


@pytest.mark.parametrize("way", ONCE)
def test_the_context_alone(attachment: Attachment, way: str) -> None:
    answer = ask(engine(response_mode="context_only"), way)
    assert answer == "\n\n".join(
        f"source: {key}.txt\n\n{node.node.text}" for key, node in zip("abc", nodes(), strict=True)
    )
    assert whole(only_run(attachment)) == expected(answer=answer, flags=("no_model_events",), **NO_CALL)


# More than one window -----------------------------------------------------------------------------------------------

TEXTS_FIRST = PromptTemplate(
    "Answer the question below from these texts and from nothing else.\n{context_str}\nQuestion: {query_str}\n"
)
GOING_ON = PromptTemplate("{query_str} {existing_answer}\n{context_msg}\n")
KEEPS_ROOM = CORE_VERSION >= (0, 14, 22)
"""Whether refining keeps room for the answer so far, by default more than these windows have."""


def narrow(kind: type[BaseSynthesizer], window: int, way: str, **options: Any) -> RetrieverQueryEngine:
    """An engine whose prompts have so many words; its calls say their numbers."""
    llm = FakeLLM(say=counting())
    fits = PromptHelper(context_window=window, num_output=0, chunk_overlap_ratio=0, tokenizer=str.split)
    if kind is TreeSummarize:
        options["summary_template"] = TEXTS_FIRST
    else:
        options["text_qa_template"] = TEXTS_FIRST
    if issubclass(kind, Refine):
        options |= {"refine_template": GOING_ON} | ({"response_padding_size": 0} if KEEPS_ROOM else {})
    made = kind(llm=llm, prompt_helper=fits, streaming=is_streamed(way), **options)
    return engine(response_synthesizer=made, llm=llm)


@pytest.mark.parametrize("way", WAYS)
def test_compacting_into_several_windows(attachment: Attachment, way: str) -> None:
    """A node that is cut counts with its parts in all the prompts."""
    calls, context = (2, "a b:shingle:1.00 c") if KEEPS_ROOM else (3, "a b:shingle:1.00 c:shingle:1.00")
    assert ask(narrow(CompactAndRefine, 44, way), way) == f"Part {calls} says Basel."
    assert whole(only_run(attachment)) == expected(
        answer=f"Part {calls} says Basel.", context=context, flags=SEVERAL, **used(calls, calls * is_streamed(way))
    )


@pytest.mark.parametrize("way", WAYS)
def test_refining_over_windows_smaller_than_a_node(attachment: Attachment, way: str) -> None:
    """Up to 0.14.21 what a call made of a part is lost if another part follows; the parts were read all the same."""
    answer = ask(narrow(Refine, 26, way), way)
    run = whole(only_run(attachment))
    calls = int(run["usage"].split()[0])
    assert calls > 3
    assert answer == f"Part {calls} says Basel."
    assert run == expected(
        answer=answer,
        context="a:shingle:1.00 b:shingle:1.00 c:shingle:1.00",
        flags=SEVERAL,
        **used(calls, calls * is_streamed(way)),
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("use_async", [False, True])
def test_a_tree_of_summaries(attachment: Attachment, way: str, use_async: bool) -> None:
    """Three calls read the nodes, the fourth what they said: it holds no node at all."""
    assert ask(narrow(TreeSummarize, 44, way, use_async=use_async), way) == "Part 4 says Basel."
    assert whole(only_run(attachment)) == expected(
        answer="Part 4 says Basel.",
        context="a b:shingle:1.00 c:shingle:1.00",
        flags=SEVERAL,
        **used(4, is_streamed(way)),
    )


@pytest.mark.parametrize("way", WAYS)
def test_a_tree_so_narrow_that_summaries_are_cut_as_well(attachment: Attachment, way: str) -> None:
    assert ask(narrow(TreeSummarize, 32, way), way) == "Part 12 says Basel."
    assert whole(only_run(attachment)) == expected(
        answer="Part 12 says Basel.",
        context="a:shingle:1.00 b:shingle:1.00 c:shingle:1.00",
        flags=SEVERAL,
        **used(12, is_streamed(way)),
    )


@pytest.mark.parametrize("way", ONCE)
def test_accumulating_over_windows_smaller_than_a_node(attachment: Attachment, way: str) -> None:
    """Of a and b, no prompt holds enough to be told; but all of them together hold them."""
    assert ask(narrow(Accumulate, 32, way), way) == joined(6)
    assert whole(only_run(attachment)) == expected(
        answer=joined(6),
        llm_text="Part 6 says Basel.",
        context="a:shingle:1.00 b:shingle:1.00 c:shingle:1.00",
        flags=SEVERAL,
        **used(6),
    )


@pytest.mark.parametrize("way", ONCE)
def test_compacting_and_accumulating_into_several_windows(attachment: Attachment, way: str) -> None:
    assert ask(narrow(CompactAndAccumulate, 40, way), way) == joined(3)
    assert whole(only_run(attachment)) == expected(
        answer=joined(3), llm_text="Part 3 says Basel.", context="a b c:shingle:1.00", flags=SEVERAL, **used(3)
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("window", "context"),
    [(36, "a:head:0.79"), (44, "a"), (50, "a b:head:0.69"), (70, "a b c:head:0.93"), (80, "a b c")],
)
def test_a_simple_summary_leaves_out_what_does_not_fit(
    attachment: Attachment, way: str, window: int, context: str
) -> None:
    """The texts are cut without a word: what the generator did not get is not its context."""
    ask(narrow(SimpleSummarize, window, way), way)
    assert whole(only_run(attachment)) == expected(
        answer="Part 1 says Basel.", context=context, **used(1, is_streamed(way))
    )


# Nothing found -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["compact", "refine", "tree_summarize", "simple_summarize"])
def test_an_empty_search(attachment: Attachment, mode: str, way: str) -> None:
    """LlamaIndex answers by itself, without a call: a refusal, not a claim."""
    assert ask(engine(keys="", response_mode=mode, streaming=is_streamed(way)), way) == "Empty Response"
    assert whole(only_run(attachment)) == expected(
        answer="Empty Response",
        chunks=None,
        stages=[f"1 retrieve FakeRetriever({QUESTION}): "],
        context=None,
        context_source="last_stage",
        usage="0 None>None",
        answer_usage=None,
        flags=("no_model_events",),
    )
    assert attachment.last is not None
    evaluation = attachment.last.evaluation
    assert (evaluation.answer_kind, evaluation.claims, evaluation.findings) == ("refusal", (), ())
    assert measured(attachment)["Groundedness"] == "refusal"


# Objects -------------------------------------------------------------------------------------------------------------


class City(BaseModel):
    """A city."""

    name: str
    country: str = "CH"


BASEL = '{"name": "Basel", "country": "CH"}'


@pytest.mark.parametrize("way", ONCE)
@pytest.mark.parametrize("mode", ["compact", "tree_summarize"])
def test_an_object(attachment: Attachment, mode: str, way: str) -> None:
    ask(engine(BASEL, output_cls=City, response_mode=mode), way)
    assert whole(only_run(attachment)) == expected(answer=BASEL)


@pytest.mark.parametrize("way", ONCE)
def test_an_object_that_is_refined(attachment: Attachment, way: str) -> None:
    """Each call gets the object so far, written in another way than the model wrote it."""
    said = counting('{{"country":  "CH", "name": "Basel {}"}}')
    ask(engine(llm=FakeLLM(say=said), output_cls=City, response_mode="refine"), way)
    assert whole(only_run(attachment)) == expected(
        answer='{"name": "Basel 3", "country": "CH"}',
        llm_text='{"country":  "CH", "name": "Basel 3"}',
        flags=SEVERAL,
        **used(3),
    )


@since_core(0, 13)
@pytest.mark.parametrize("way", ONCE)
def test_objects_that_are_accumulated(attachment: Attachment, way: str) -> None:
    """Nothing that a call said stands in the answer, but all of them made it."""
    answer = ask(engine(llm=FakeLLM(say=lambda _: BASEL), output_cls=City, response_mode="accumulate"), way)
    assert answer.startswith("Response 1: name='Basel' country='CH'\n")
    assert whole(only_run(attachment)) == expected(answer=answer, llm_text=BASEL, flags=SEVERAL, **used(3))


@pytest.mark.parametrize("way", ONCE)
def test_an_object_by_way_of_a_tool_call(attachment: Attachment, way: str) -> None:
    llm = FakeAgentLLM(say=lambda _: ("City", {"name": "Basel"}))
    ask(engine(llm=llm, output_cls=City), way)
    assert whole(only_run(attachment)) == expected(answer=BASEL)


@pytest.mark.parametrize("way", ONCE)
@pytest.mark.parametrize(
    "llm",
    [
        pytest.param(FakeLLM(say=lambda _: BASEL), id="from text"),
        pytest.param(FakeAgentLLM(say=lambda _: ("City", {"name": "Basel"})), id="by a tool call"),
    ],
)
def test_a_structured_model(attachment: Attachment, way: str, llm: LLM) -> None:
    """It calls another model, and only that one tells what the call took."""
    ask(engine(llm=llm.as_structured_llm(City)), way)
    assert whole(only_run(attachment)) == expected(answer=BASEL, llm_text='{"name":"Basel","country":"CH"}')


# A synthesizer alone -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_async", [False, True])
def test_a_synthesizer_alone(attachment: Attachment, is_async: bool) -> None:
    """What it is handed is what there is to retrieve."""
    alone = get_response_synthesizer(llm=FakeLLM())
    if is_async:
        asyncio.run(alone.asynthesize(QUESTION, nodes()))
    else:
        alone.synthesize(QUESTION, nodes())
    assert whole(only_run(attachment)) == expected(stages=["1 retrieve CompactAndRefine: a=0.9 b=0.8 c=0.7"])


def test_a_synthesizer_that_is_only_given_texts_is_no_question(attachment: Attachment) -> None:
    assert TreeSummarize(llm=FakeLLM()).get_response(QUESTION, ["One text."]) == ANSWER
    assert attachment.stats()["opened"] == 0


# Images --------------------------------------------------------------------------------------------------------------

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def with_image(text: str) -> FakeRetriever:
    image = ImageNode(id_="i", text=text, image=PIXEL, image_mimetype="image/png", metadata={"source": "i.png"})
    return FakeRetriever(find=lambda _: [*nodes("ab"), NodeWithScore(node=image, score=0.5)])


def of_image(text: str) -> dict[str, Any]:
    return {
        "chunks": "a b i",
        "stages": [f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 i=0.5"],
        "texts": {"i": text},
        "metadata_of": {"a": {"source": "a.txt"}, "b": {"source": "b.txt"}, "i": {"source": "i.png"}},
        "sources": "a.txt b.txt i.png",
    }


@since_core(0, 14, 23)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["compact", "tree_summarize"])
@pytest.mark.parametrize("text", ["", "A map of Basel's three harbours."])
def test_images_in_the_prompt(attachment: Attachment, mode: str, text: str, way: str) -> None:
    """The image is in the prompt instead of the node's text; its data is nowhere in the record."""
    retriever, streaming = with_image(text), is_streamed(way)
    ask(engine(retriever=retriever, multimodal=True, response_mode=mode, streaming=streaming), way)
    run = only_run(attachment)
    (media,) = run.media
    assert (media.place, media.kind, media.mime_type) == ("prompt", "image", "image/png")
    assert PIXEL not in run.model_dump_json()
    assert whole(run.model_copy(update={"media": ()})) == expected(
        context="a b", **of_image(text), **used(1, is_streamed(way))
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(CORE_VERSION < (0, 13), reason="needs a model of another class before 0.13")
@pytest.mark.parametrize("way", ONCE)
def test_the_multimodal_engine(attachment: Attachment, way: str) -> None:
    from llama_index.core.query_engine import SimpleMultiModalQueryEngine

    text = "A map of Basel's three harbours."
    ask(SimpleMultiModalQueryEngine(with_image(text), FakeLLM()), way)
    run = only_run(attachment)
    assert [(one.place, one.kind) for one in run.media] == [("prompt", "image")]
    assert whole(run.model_copy(update={"media": ()})) == expected(context="a b", **of_image(text))


def test_an_image_node_with_text_in_a_prompt_of_texts(attachment: Attachment) -> None:
    text = "A map of Basel's three harbours."
    ask(engine(retriever=with_image(text)), "query")
    assert whole(only_run(attachment)) == expected(context="a b i", **of_image(text))
