"""Query engines around others: one record of the user's question, whatever is asked on the way."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from agent_fakes import turns
from asking import ONCE, ask
from llama_index.core import ComposableGraph, Settings, SummaryIndex, VectorStoreIndex
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.evaluation import GuidelineEvaluator, RelevancyEvaluator
from llama_index.core.indices.query.query_transform import HyDEQueryTransform, StepDecomposeQueryTransform
from llama_index.core.indices.query.query_transform.feedback_transform import FeedbackQueryTransformation
from llama_index.core.objects import ObjectIndex
from llama_index.core.query_engine import (
    CustomQueryEngine,
    FLAREInstructQueryEngine,
    MultiStepQueryEngine,
    RetrieverQueryEngine,
    RetryGuidelineQueryEngine,
    RetryQueryEngine,
    RetrySourceQueryEngine,
    RouterQueryEngine,
    SubQuestionQueryEngine,
    ToolRetrieverRouterQueryEngine,
    TransformQueryEngine,
)
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.response_synthesizers import TreeSummarize, get_response_synthesizer
from llama_index.core.selectors import LLMMultiSelector, LLMSingleSelector
from llama_index.core.tools import QueryEngineTool
from llamaindex_expected import expected
from llamaindex_fakes import ANSWER, QUESTION, TEXTS, FakeLLM, FakeRetriever, engine, nodes
from pipeline_versions import needs_context_in_threads
from whole_record import only_run, whole

from rag_eval_hooks_llamaindex import Attachment

pytestmark = pytest.mark.usefixtures("offline")

SEVERAL = ("several_prompts",)
TOWNS, RIVERS = "Of the towns: Basel.", "Of the rivers: the Rhine."
TWO_SEARCHES = [
    f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8",
    f"2 retrieve FakeRetriever({QUESTION}): b=0.9 c=0.8",
]


@pytest.fixture(params=ONCE)
def run(request: pytest.FixtureRequest, attachment: Attachment) -> Callable[[Any], dict[str, Any]]:
    """The whole record of a question to an engine."""

    def asked(made: Any) -> dict[str, Any]:
        ask(made, request.param)
        return whole(only_run(attachment))

    asked.way = request.param  # type: ignore[attr-defined]
    return asked


def saying(text: str) -> FakeLLM:
    return FakeLLM(say=lambda _: text)


def tools(**options: Any) -> list[QueryEngineTool]:
    """One engine knows of towns (a and b), one of rivers (b and c)."""
    engines = {"towns": engine(TOWNS, "ab", **options), "rivers": engine(RIVERS, "bc", **options)}
    return [QueryEngineTool.from_defaults(one, name=name, description=name) for name, one in engines.items()]


# Routers -------------------------------------------------------------------------------------------------------------


def choosing(number: int, *more: int) -> FakeLLM:
    choices = ", ".join(f'{{"choice": {one}, "reason": "fits"}}' for one in (number, *more))
    return saying(f"[{choices}]")


def test_a_router_of_one(run: Any) -> None:
    """The selector's call is counted, and is not the answer."""
    router = RouterQueryEngine(LLMSingleSelector.from_defaults(llm=choosing(2)), tools(), llm=FakeLLM())
    assert run(router) == expected(
        answer=RIVERS,
        chunks="b c",
        stages=[f"1 retrieve FakeRetriever({QUESTION}): b=0.9 c=0.8"],
        context="b c",
        usage="2 200>10",
    )


def test_a_router_of_both(run: Any) -> None:
    """The summary rests on both answers, and so on what both read."""
    needs_context_in_threads(run.way)
    summarizer = TreeSummarize(llm=saying("In all: Basel on the Rhine."))
    selector = LLMMultiSelector.from_defaults(llm=choosing(1, 2))
    assert run(RouterQueryEngine(selector, tools(), llm=FakeLLM(), summarizer=summarizer)) == expected(
        answer="In all: Basel on the Rhine.", stages=TWO_SEARCHES, usage="4 400>20", flags=SEVERAL
    )


def test_a_router_by_the_search_for_tools(run: Any) -> None:
    """The nodes that stand for tools are nothing found for the question."""
    needs_context_in_threads(run.way)
    index: Any = ObjectIndex.from_objects(tools(), index_cls=VectorStoreIndex)
    summarizer = TreeSummarize(llm=saying("In all: Basel on the Rhine."))
    router = ToolRetrieverRouterQueryEngine(index.as_retriever(similarity_top_k=2), summarizer=summarizer)
    found = run(router)
    stages = sorted(stage[2:] for stage in found.pop("stages"))  # which tool comes first is left to the index
    assert stages == [stage[2:] for stage in TWO_SEARCHES]
    assert sorted(found.pop("chunks").split()) == sorted(found.pop("context").split()) == ["a", "b", "c"]
    assert found == expected(
        answer="In all: Basel on the Rhine.", chunks=None, stages=None, context=None, usage="3 300>15", flags=SEVERAL
    )


def test_a_graph_of_indexes(attachment: Attachment, monkeypatch: pytest.MonkeyPatch) -> None:
    """The root finds which indexes to ask; their answers take the place of what it found."""
    monkeypatch.setattr(Settings, "_llm", FakeLLM(say=turns("It is Basel.", "It has harbours.", ANSWER)))
    parts = [SummaryIndex([one.node for one in nodes(key)]) for key in "ab"]
    graph = ComposableGraph.from_indices(SummaryIndex, parts, index_summaries=["About the Rhine.", "About harbours."])
    ask(graph.as_query_engine(), "query")
    run = only_run(attachment)
    assert [[run.chunks[item.chunk].text for item in stage.items] for stage in run.stages] == [
        ["About the Rhine.", "About harbours."],
        [TEXTS["a"]],
        [TEXTS["b"]],
    ]
    assert ([run.chunks[item.chunk].id for item in run.context], run.answer, run.flags) == (["a", "b"], ANSWER, SEVERAL)


# Sub-questions -------------------------------------------------------------------------------------------------------

SUB_QUESTIONS = """```json
{"items": [{"sub_question": "Which town?", "tool_name": "towns"},
           {"sub_question": "Which river?", "tool_name": "rivers"}]}
```"""


def dividing(use_async: bool, **options: Any) -> SubQuestionQueryEngine:
    return SubQuestionQueryEngine.from_defaults(
        tools(**options),
        question_gen=LLMQuestionGenerator.from_defaults(llm=saying(SUB_QUESTIONS)),
        response_synthesizer=get_response_synthesizer(llm=saying("So it is Basel, on the Rhine.")),
        use_async=use_async,
        verbose=False,
    )


@pytest.mark.parametrize("use_async", [False, True])
def test_sub_questions(run: Any, use_async: bool) -> None:
    """The answers to the sub-questions are handed on as nodes; they are nothing found."""
    assert run(dividing(use_async)) == expected(
        answer="So it is Basel, on the Rhine.",
        stages=[
            "1 retrieve FakeRetriever(Which town?): a=0.9 b=0.8",
            "2 retrieve FakeRetriever(Which river?): b=0.9 c=0.8",
        ],
        usage="4 400>20",
        flags=SEVERAL,
    )


def test_a_sub_question_to_which_nothing_is_found(run: Any) -> None:
    """Its answer is none of a model's, and is nothing found either."""
    divided = dividing(False)
    divided._query_engines["rivers"] = engine(keys="")
    found = run(divided)
    assert found == expected(
        answer="So it is Basel, on the Rhine.",
        chunks="a b",
        stages=[
            "1 retrieve FakeRetriever(Which town?): a=0.9 b=0.8",
            "2 retrieve FakeRetriever(Which river?): ",
        ],
        context="a b",
        usage="3 300>15",
        flags=SEVERAL,
    )


def test_a_question_in_steps(run: Any) -> None:
    """Each step's question comes from a model, as do the answers that are put together at the end."""
    steps = FakeLLM(say=turns("Which city is it?", "How many harbours has it?", "None"))
    engine_of_steps = MultiStepQueryEngine(
        engine("It is Basel."),
        StepDecomposeQueryTransform(llm=steps),
        response_synthesizer=get_response_synthesizer(llm=saying("So it is Basel.")),
    )
    assert run(engine_of_steps) == expected(
        answer="So it is Basel.",
        stages=[
            "1 retrieve FakeRetriever(Which city is it?): a=0.9 b=0.8 c=0.7",
            "2 retrieve FakeRetriever(How many harbours has it?): a=0.9 b=0.8 c=0.7",
        ],
        usage="6 600>30",
        flags=SEVERAL,
    )


# Other queries -------------------------------------------------------------------------------------------------------


def test_a_search_by_a_made_up_passage(run: Any) -> None:
    """The passage is only embedded: it is neither the answer nor a chunk."""
    made_up = "The Rhine flows through the city of Basel, and then through Strasbourg."
    assert run(TransformQueryEngine(engine(), HyDEQueryTransform(llm=saying(made_up)))) == expected(usage="2 200>10")


def test_searches_while_the_answer_is_written(run: Any) -> None:
    """The answer is put together from what the model wrote in two turns."""
    writer = FakeLLM(say=turns("The Rhine [Search(which city)] is long.", "The Rhine passes Basel. done"))
    found = run(FLAREInstructQueryEngine(engine("It is Basel."), llm=writer, max_iterations=3))
    assert found.pop("answer").startswith("The Rhine passes Basel. done")
    found.pop("llm_text", None)
    calls = int(found.pop("usage").split()[0])
    assert calls >= 3
    assert found == expected(
        answer=None, stages=["1 retrieve FakeRetriever(which city): a=0.9 b=0.8 c=0.7"], usage=None, flags=SEVERAL
    )


# Answers that are checked --------------------------------------------------------------------------------------------


def trying() -> RetrieverQueryEngine:
    return engine(llm=FakeLLM(say=turns("Try one: Bern.", "Try two: Basel.")))


def judging(*verdicts: str) -> RelevancyEvaluator:
    return RelevancyEvaluator(llm=FakeLLM(say=turns(*verdicts)))


AGAIN = f"{QUESTION}\n----------------\nHere is a previous bad answer.\nTry one: Bern."


def test_an_answer_that_is_checked_and_given_again(attachment: Attachment) -> None:
    """The check makes an index of what was found and asks it; that is no search, and the verdict no answer."""
    ask(RetryQueryEngine(trying(), judging("NO", "YES"), max_retries=2), "query")
    assert whole(only_run(attachment)) == expected(
        answer="Try two: Basel.",
        stages=[
            f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 c=0.7",
            f"2 retrieve FakeRetriever({AGAIN}): a=0.9 b=0.8 c=0.7",
        ],
        usage="4 400>20",
    )


def test_an_answer_that_is_checked_and_good(attachment: Attachment) -> None:
    ask(RetryQueryEngine(trying(), judging("YES")), "query")
    assert whole(only_run(attachment)) == expected(answer="Try one: Bern.", usage="2 200>10")


def test_an_answer_from_the_sources_that_passed_the_check(attachment: Attachment) -> None:
    """After the check each source is checked alone, and copies of them are searched once more: a round of its own."""
    verdicts = judging("NO", "YES", "YES", "YES", "YES")
    ask(RetrySourceQueryEngine(trying(), verdicts, llm=saying("It is Basel."), max_retries=2), "query")
    run = only_run(attachment)
    texts = [run.chunks[item.chunk].text for stage in run.stages for item in stage.items]
    assert [(stage.kind, stage.round, stage.final) for stage in run.stages] == [
        ("retrieve", 1, True),
        ("retrieve", 2, True),
    ]
    assert texts == [TEXTS[key] for key in "abcabc"]
    assert [run.chunks[item.chunk].text for item in run.context] == [TEXTS[key] for key in "abc"]


def test_an_answer_after_a_guideline(attachment: Attachment) -> None:
    verdicts = [f'{{"passing": {passing}, "feedback": "be brief"}}' for passing in ("false", "true")]
    guided = RetryGuidelineQueryEngine(
        trying(),
        GuidelineEvaluator(llm=FakeLLM(say=turns(*verdicts)), guidelines="Be brief."),
        query_transformer=FeedbackQueryTransformation(llm=FakeLLM()),
        max_retries=2,
    )
    ask(guided, "query")
    found = whole(only_run(attachment))
    first, second = found.pop("stages")
    assert first == f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 c=0.7"
    assert second.startswith("2 retrieve FakeRetriever(Here is a previous bad answer.\nTry one: Bern.\n")
    assert found == expected(answer="Try two: Basel.", stages=None, usage="4 400>20")


# One's own -----------------------------------------------------------------------------------------------------------


class Own(CustomQueryEngine):
    """Writes its prompt itself, of the first two nodes."""

    retriever: Any
    llm: Any

    def custom_query(self, query_str: str) -> str:
        found = self.retriever.retrieve(query_str)
        numbered = "\n".join(f"[{number}] {one.node.get_content()}" for number, one in enumerate(found[:2], 1))
        return str(self.llm.complete(f"{numbered}\n\n{query_str}"))


def test_an_engine_of_ones_own(run: Any) -> None:
    """The prompt tells what was packed, and with which numbers."""
    assert run(Own(retriever=FakeRetriever(), llm=FakeLLM())) == expected(context="a b", citations={"rule": "prompt"})


class Broken(Own):
    def custom_query(self, query_str: str) -> str:
        super().custom_query(query_str)
        raise LookupError("half-way")


@pytest.mark.parametrize("way", ONCE)
def test_an_engine_that_fails_after_its_model_answered(attachment: Attachment, way: str) -> None:
    """The user's exception reaches the caller; the record keeps what the model had said."""
    with pytest.raises(LookupError, match="half-way"):
        ask(Broken(retriever=FakeRetriever(), llm=FakeLLM()), way)
    assert whole(only_run(attachment)) == expected(
        status="error",
        error="LookupError",
        answer=None,
        llm_text=ANSWER,
        llm_complete=True,
        context="a b",
        citations={"rule": "prompt"},
    )


@pytest.mark.parametrize("way", ONCE)
def test_a_model_that_fails(attachment: Attachment, way: str) -> None:
    with pytest.raises(ConnectionError):
        ask(engine(llm=FakeLLM(error=ConnectionError())), way)
    assert whole(only_run(attachment)) == expected(
        status="error", error="ConnectionError", answer=None, usage="1 None>None", answer_usage="1 None>None"
    )


@pytest.mark.parametrize("way", ONCE)
def test_a_model_that_fails_after_a_first_call(attachment: Attachment, way: str) -> None:
    """What refining had come to is not the answer that the user would have got."""
    calls: list[int] = []

    def say(_: Sequence[ChatMessage]) -> str:
        calls.append(1)
        if len(calls) == 2:
            raise ConnectionError
        return "Basel, so far."

    with pytest.raises(ConnectionError):
        ask(engine(llm=FakeLLM(say=say), response_mode="refine"), way)
    assert whole(only_run(attachment)) == expected(
        status="error",
        error="ConnectionError",
        answer=None,
        context="a b",
        usage="2 100>5",
        answer_usage="1 None>None",
        flags=SEVERAL,
    )


class Twice(CustomQueryEngine):
    """Asks another engine once more if the first answer is none."""

    first: Any
    second: Any

    def custom_query(self, query_str: str) -> str:
        try:
            return str(self.first.query(query_str))
        except ConnectionError:
            return str(self.second.query(query_str))


def test_an_engine_in_the_place_of_one_that_failed(run: Any) -> None:
    """What the failed one had found does not count."""
    failing = engine(llm=FakeLLM(error=ConnectionError()), keys="ab")
    assert run(Twice(first=failing, second=engine(keys="c"))) == expected(
        chunks="a b c",
        stages=[
            f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 (inner)",
            f"1 retrieve FakeRetriever({QUESTION}): c=0.9",
        ],
        context="c",
        usage="2 100>5",
        attempts=["chain RetrieverQueryEngine: ConnectionError"],
        flags=("failed_attempts",),
    )
