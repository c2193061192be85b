"""What workflows return, and how their runs wait and end."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.base.response.schema import Response
from llama_index.core.schema import NodeWithScore
from llama_index.core.workflow import Context, StartEvent, StopEvent, Workflow, step
from llama_index.core.workflow.errors import WorkflowCancelledByUser
from llama_index.core.workflow.retry_policy import ConstantDelayRetryPolicy
from llamaindex_expected import expected
from llamaindex_fakes import ANSWER, QUESTION, FakeRetriever
from llamaindex_versions import WORKFLOWS_VERSION, since_core
from pydantic import BaseModel
from whole_record import only_run, whole
from workflow_fakes import FOUND, NUMBERED, Found, Rag, Ranked, keep, kept, run, written

from rag_eval_hooks_llamaindex import Attachment

pytestmark = [pytest.mark.usefixtures("offline"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]

# Results -------------------------------------------------------------------------------------------------------------


class City(BaseModel):
    name: str


class Stop(StopEvent):
    answer: str
    found: list[Any]


def stopping(make: Callable[[str, list[NodeWithScore]], Any]) -> Workflow:
    class Ending(Workflow):
        @step
        async def answer(self, ev: StartEvent) -> StopEvent:
            found = await FakeRetriever().aretrieve(ev.query)
            said = written(ev.query, found)
            return StopEvent(result=make(said, found))

    return Ending()


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda said, _: said, id="text"),
        pytest.param(lambda said, found: Response(response=said, source_nodes=found), id="response"),
        pytest.param(lambda said, found: {"answer": said, "nodes": found}, id="mapping"),
        pytest.param(lambda said, found: {"reply": said, "sources": found, "count": 3}, id="other keys"),
        pytest.param(lambda said, _: City(name=said), id="object"),
        pytest.param(lambda said, _: ChatMessage(role="assistant", content=said), id="message"),
        pytest.param(lambda said, found: (said, found), id="pair"),
        pytest.param(lambda *_: None, id="nothing: what the model said is the answer"),
    ],
)
def test_what_a_workflow_returns(attachment: Attachment, make: Any) -> None:
    run(stopping(make))
    assert whole(only_run(attachment)) == expected(**NUMBERED)


@since_core(0, 12, 50)
def test_a_stop_event_of_ones_own(attachment: Attachment) -> None:
    class Ending(Workflow):
        @step
        async def answer(self, ev: StartEvent) -> Stop:
            found = await FakeRetriever().aretrieve(ev.query)
            return Stop(answer=written(ev.query, found), found=found)

    run(Ending())
    assert whole(only_run(attachment)) == expected(**NUMBERED)


def test_several_values(attachment: Attachment) -> None:
    """Without a usual key, the value that a model said is the answer, whatever else there is."""
    run(stopping(lambda said, found: {"verdict": said, "score": 0.5, "trace": ["a", "b"], "sources": found}))
    assert whole(only_run(attachment)) == expected(**NUMBERED)


# Waiting and ending --------------------------------------------------------------------------------------------------


def test_somebody_who_is_asked(attachment: Attachment) -> None:
    """The run waits for what a person says, and goes on: one question, which is the first."""
    from llama_index.core.workflow import HumanResponseEvent, InputRequiredEvent

    class Waiting(Workflow):
        @step
        async def retrieve(self, ctx: Context, ev: StartEvent) -> InputRequiredEvent:
            await keep(ctx, "nodes", await FakeRetriever().aretrieve(ev.query))
            return InputRequiredEvent(prefix="Which?")

        @step
        async def answer(self, ctx: Context, ev: HumanResponseEvent) -> StopEvent:
            return StopEvent(result=written(ev.response, (await kept(ctx, "nodes"))[:2]))

    async def ran() -> Any:
        handler = Waiting().run(query=QUESTION)
        async for event in handler.stream_events():
            if isinstance(event, InputRequiredEvent):
                assert attachment.records == ()
                handler.ctx.send_event(HumanResponseEvent(response="the first two"))
        return await handler

    assert asyncio.run(ran()) == ANSWER
    assert whole(only_run(attachment)) == expected(context="a b", **NUMBERED)


def test_a_step_that_is_tried_again(attachment: Attachment) -> None:
    tries: list[int] = []

    class Trying(Workflow):
        @step(retry_policy=ConstantDelayRetryPolicy(delay=0, maximum_attempts=3))
        async def retrieve(self, ev: StartEvent) -> Found:
            tries.append(1)
            found = await FakeRetriever("ab").aretrieve(ev.query)
            if len(tries) == 1:
                raise LookupError("flaky")
            return Found(query=ev.query, nodes=found)

        @step
        async def answer(self, ev: Found) -> StopEvent:
            return StopEvent(result=written(ev.query, ev.nodes))

    assert run(Trying()) == ANSWER
    searched = f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8"
    record = whole(only_run(attachment))
    (tried,) = record.pop("attempts")
    assert tried.startswith("chain ")
    assert tried.endswith("Trying.retrieve: LookupError")
    assert record == expected(
        chunks="a b", stages=[f"{searched} (inner)", searched], context="a b", flags=("failed_attempts",), **NUMBERED
    )


ASSUMED = {
    "answer": None,
    "context": "c:assumed:1.00 b:assumed:1.00",
    "context_source": "last_stage",
    "usage": "0 None>None",
    "answer_usage": None,
}


class Failing(Rag):
    @step
    async def synthesize(self, ev: Ranked) -> StopEvent:
        raise LookupError("no such prompt")


def test_a_step_that_fails(attachment: Attachment) -> None:
    with pytest.raises(Exception, match="no such prompt") as raised:
        run(Failing())
    record = whole(only_run(attachment))
    assert record.pop("stages")[0] == f"{FOUND} (inner)"
    assert record == expected(status="error", error="LookupError", stages=None, **ASSUMED), raised.value


class Stuck(Rag):
    """Never comes to an end by itself."""

    entered: asyncio.Event

    @step
    async def synthesize(self, ev: Ranked) -> StopEvent:
        self.entered.set()
        await asyncio.Event().wait()
        raise AssertionError


def test_a_run_that_takes_too_long(attachment: Attachment) -> None:
    async def ran() -> None:
        workflow = Stuck(timeout=0.2)
        workflow.entered = asyncio.Event()
        await workflow.run(query=QUESTION)

    with pytest.raises(Exception, match="timed out"):
        asyncio.run(ran())
    record = only_run(attachment)
    assert (record.question, record.status, record.answer) == (QUESTION, "error", None)
    assert [stage.kind for stage in record.stages] == ["retrieve", "postprocess"]


def test_a_run_that_is_called_off(attachment: Attachment) -> None:
    async def ran() -> None:
        workflow = Stuck(timeout=20)
        workflow.entered = asyncio.Event()
        handler = workflow.run(query=QUESTION)
        await workflow.entered.wait()
        await handler.cancel_run()
        await handler

    with pytest.raises(WorkflowCancelledByUser):
        asyncio.run(ran())
    record = only_run(attachment)
    assert (record.question, record.answer) == (QUESTION, None)
    assert record.status == ("cancelled" if WORKFLOWS_VERSION >= (2,) else "error")
    assert [stage.kind for stage in record.stages] == ["retrieve", "postprocess"]
