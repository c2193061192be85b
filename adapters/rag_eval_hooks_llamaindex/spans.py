"""Spans: which question each belongs to, and where a question begins and ends."""

from asyncio import CancelledError
from contextvars import ContextVar
from inspect import BoundArguments
from itertools import count
from typing import Any, NamedTuple

from llama_index.core.chat_engine.types import StreamingAgentChatResponse

from rag_eval_hooks.capture import Collector, Delivered, Items, caught, guarded
from rag_eval_hooks.capture.trace import StreamsOn
from rag_eval_hooks_llamaindex.calls import ModelCalls
from rag_eval_hooks_llamaindex.compat import STREAMS_ARE_READ_FIRST
from rag_eval_hooks_llamaindex.extract import answer_text, snapshot
from rag_eval_hooks_llamaindex.listeners import Listener, Listeners, belongs_to, bounded
from rag_eval_hooks_llamaindex.nodes import are_tools, items_from_nodes, node_lists
from rag_eval_hooks_llamaindex.roles import Role, role_of
from rag_eval_hooks_llamaindex.stream import streamed_in, tap

__all__ = ["QUESTION_TAG", "Spans"]

QUESTION_TAG = "rag_eval:question"
"""Instrument tag by which a streamed answer that is not tapped finds its question."""
WORKFLOW_DONE = "WorkflowDone"
"""The exception with which workflows before 2.0 end."""
CALLED_OFF = ("WorkflowRuntimeError", "Exception", "BaseException")
"""What stands for the exception that such a workflow raised, where it is not known."""

_unread: ContextVar[tuple[Collector, str] | None] = ContextVar("rag_eval_hooks_llamaindex_unread", default=None)
"""The question asked last in this context whose streamed answer is not tapped and not read yet."""


class _Top(NamedTuple):
    """The outermost span of a question."""

    listeners: list[Listener]
    """Who records it."""
    tag: Any
    """What `QUESTION_TAG` says where it was asked."""


class Spans:
    """What spans have to tell each other from their start to their end, by span id.

    Args:
        listeners: Who is told.
        calls: The model calls under way.
    """

    def __init__(self, listeners: Listeners, calls: ModelCalls) -> None:
        self._listeners = listeners
        self._calls = calls
        self._tops: dict[str, _Top] = {}
        """By the outermost span that a question was put to."""
        self._workflows: dict[str, tuple[str, ...]] = {}
        """By run of a workflow: names of the error's class and its bases with which a step of it ended last. Kept
        beyond the run's end: with workflows before 2.0 what comes next in the same task names it as its parent."""
        self._steps: dict[str, str] = {}
        """By step of a workflow that runs: the workflow's run."""
        self._posts: dict[str, None] = {}
        """Postprocessors that run."""
        self._reranks: dict[str, str] = {}
        """By span in which reranking has begun outside of a postprocessor's span: its run."""
        self._numbers = count()
        self._tagged: dict[Any, str] = {}
        """By tag: the question whose streamed answer is not tapped."""

    @property
    def size(self) -> int:
        """How many spans are remembered, finished runs of workflows aside."""
        self._forget_tags()
        return len(self._tops) + len(self._steps) + len(self._posts) + len(self._reranks) + len(self._tagged)

    def clear(self) -> None:
        """Forgets all of them: nobody will be told of their end."""
        for table in (self._tops, self._workflows, self._steps, self._posts, self._reranks, self._tagged):
            table.clear()

    def entered(
        self, span_id: str, arguments: BoundArguments, instance: Any, parent_id: str | None, tags: dict[str, Any] | None
    ) -> None:
        """Notes the start of a span that belongs to a question, or opens one."""
        role = role_of(span_id, instance)
        if role.is_left_out:
            return
        # Only with workflows before 2.0; since then whatever runs in a workflow runs in a step of it.
        is_leaked = role.is_question and parent_id in self._workflows
        value: Any = None
        is_read = is_known = False
        for listener in self._listeners.all:
            collector = listener.collector
            parent = parent_id if not is_leaked and parent_id is not None and collector.knows(parent_id) else None
            if parent is None:
                if role.is_question:
                    if not listener.is_for(instance) and not belongs_to(collector):
                        continue
                    self._tops.setdefault(span_id, _Top([], _tag(tags))).listeners.append(listener)
                    bounded(self._tops)
                elif not belongs_to(collector):
                    parent = self._asked_before(collector, tags)
                    if parent is None:
                        continue
            is_known = True
            if not is_read and role.read is not None and (parent is None or role.is_always_read):
                is_read = True
                try:
                    value = role.read(arguments)
                except BaseException as error:  # noqa: BLE001  what cannot be read starts all the same
                    caught("llamaindex.input", error)
            name = role.name or (role.named and role.named(instance)) or type(instance).__name__
            collector.start(span_id, parent, role.kind, name, value, (), tags)
        if is_known:
            if role.is_workflow or role.kind == "postprocessor" or parent_id in self._workflows:
                self._note(span_id, role, parent_id)
            self._calls.entered(span_id, parent_id, instance, is_model=role.is_model)

    def _note(self, span_id: str, role: Role, parent_id: str | None) -> None:
        if role.is_workflow:
            self._workflows[span_id] = ()
            bounded(self._workflows)
        elif role.kind == "postprocessor":
            self._posts[span_id] = None
            bounded(self._posts)
        if parent_id in self._workflows and parent_id is not None:
            self._steps[span_id] = parent_id
            bounded(self._steps)

    def left(self, span_id: str, instance: Any, result: Any) -> None:
        """Notes the end of a span."""
        role = role_of(span_id, instance)
        collectors = self._listeners.knowing(span_id)
        if role.is_left_out or not collectors:
            return
        self._calls.left(span_id, result)
        self._posts.pop(span_id, None)
        self._steps.pop(span_id, None)
        self._end_rerank(span_id)
        top = self._tops.pop(span_id, None)
        if role.is_workflow and result is None:
            error = self._failure(span_id)
            for collector in collectors:
                collector.end(span_id, None, error=error)
            return
        value: Any = None
        lists: tuple[Items, ...] = ()
        streams_on: StreamsOn | None = "written" if role.is_writer else None
        try:
            if role.kind == "retriever":
                value = None if are_tools(result) else items_from_nodes(result)
            elif role.shows_lists:
                lists = node_lists(result)
                if not lists and role.kind == "postprocessor" and not result:
                    lists = (Items(),)  # it left out everything
            if top is not None:
                streams_on = _goes_on(result)
                if streams_on == "read":
                    collectors = self._tapped(span_id, instance, top, result, collectors)
                    streams_on = None if STREAMS_ARE_READ_FIRST else streams_on
                if role.kind != "retriever":
                    value = snapshot(result)
            elif role.is_question and role.kind == "chain":
                value = answer_text(result)
            elif role.is_writer:
                value = Delivered(instance.response) if instance.response else None
        finally:  # what cannot be read ends all the same
            for collector in collectors:
                collector.end(span_id, value, lists, streams_on=streams_on)

    def _failure(self, run_id: str) -> tuple[str, ...] | None:
        """Returns with what a workflow failed that gave nothing back; None if that was its result.

        Before 2.0 a failure shows only so. A workflow that comes to its end does it by an exception of its own; one
        that runs out of time, or that is called off, cancels its steps.
        """
        last = self._workflows.get(run_id, ())
        if WORKFLOW_DONE in last:
            return None
        return last if last and "CancelledError" not in last else CALLED_OFF

    def _tapped(
        self, span_id: str, instance: Any, top: _Top, result: Any, collectors: list[Collector]
    ) -> list[Collector]:
        """Puts a tap into a streamed answer; returns who has none and is to find what is read later in another way."""
        tapped = [one.collector for one in top.listeners if one.taps(instance)]
        with guarded("llamaindex.tap"):  # what cannot be tapped may be found in the other way
            if tapped and tap(result, tapped, span_id):
                collectors = [one for one in collectors if one not in tapped]
        for collector in collectors:
            _unread.set((collector, span_id))
            if top.tag is not None:
                self._forget_tags()
                self._tagged[top.tag] = span_id
                bounded(self._tagged)
        return collectors

    def _forget_tags(self) -> None:
        """Forgets tags whose question is delivered."""
        for tag, span_id in list(self._tagged.items()):
            if not any(one.collector.is_undelivered(span_id) for one in self._listeners.all):
                self._tagged.pop(tag, None)

    def _asked_before(self, collector: Collector, tags: dict[str, Any] | None) -> str | None:
        """Returns the question that a span without one belongs to, if it reads a streamed answer that is not tapped."""
        tagged = self._tagged.get(_tag(tags)) if self._tagged else None
        if tagged is not None and collector.is_undelivered(tagged):
            return tagged
        unread = _unread.get()
        if unread is not None and unread[0] is collector and collector.is_undelivered(unread[1]):
            return unread[1]
        return None

    def dropped(self, span_id: str, instance: Any, error: BaseException | None) -> None:
        """Notes that a span failed or was cancelled."""
        role = role_of(span_id, instance)
        collectors = self._listeners.knowing(span_id)
        if role.is_left_out or not collectors:
            return
        failure = error if error is not None else RuntimeError()
        names = tuple(kind.__name__ for kind in type(failure).__mro__)
        self._calls.left(span_id, error=failure)
        self._posts.pop(span_id, None)
        top = self._tops.pop(span_id, None)
        workflow = self._steps.pop(span_id, None)
        if workflow is not None and WORKFLOW_DONE not in self._workflows.get(workflow, (WORKFLOW_DONE,)):
            self._workflows[workflow] = names
        self._end_rerank(span_id, names)
        # A stream that broke off inside was read there; only a workflow's may have reached the user by its events.
        value = None if top is None or role.is_workflow else Delivered("")
        for collector in collectors:
            collector.end(span_id, value, error=names, streams_on="written" if role.is_writer else None)

    def cancelled(self, event: Any) -> None:
        """Notes that a step was cancelled, which workflows since 2.0 tell by an event instead of the span's end."""
        self._steps.pop(event.span_id, None)
        for collector in self._listeners.knowing(event.span_id):
            collector.fail(event.span_id, CancelledError())

    def rerank_started(self, event: Any) -> None:
        """Notes a reranking outside of any postprocessor's span: of the asynchronous method that has none."""
        span_id = event.span_id
        if span_id is None or span_id in self._posts:
            return
        run_id = f"{span_id}/rerank-{next(self._numbers)}"
        for collector in self._listeners.knowing(span_id):
            self._reranks[span_id] = run_id
            handed = {"nodes": items_from_nodes(event.nodes)}
            collector.start(run_id, span_id, "postprocessor", event.model_name, handed)
        bounded(self._reranks)

    def rerank_ended(self, event: Any) -> None:
        """Notes what it returned."""
        run_id = self._reranks.pop(event.span_id, None)
        if run_id is not None:
            items = items_from_nodes(event.nodes)
            for collector in self._listeners.knowing(run_id):
                collector.end(run_id, None, (items,))

    def _end_rerank(self, span_id: str, error: tuple[str, ...] | None = None) -> None:
        """Notes that a span ended in which a reranker never told what it returned."""
        run_id = self._reranks.pop(span_id, None) if self._reranks else None
        if run_id is not None:
            for collector in self._listeners.knowing(run_id):
                collector.end(run_id, None, error=error)


def _tag(tags: dict[str, Any] | None) -> Any:
    tag = tags.get(QUESTION_TAG) if isinstance(tags, dict) else None
    return tag if isinstance(tag, (str, int)) else None


def _goes_on(result: Any) -> StreamsOn | None:
    """Returns who is to go on with an answer that streams."""
    if streamed_in(result) is not None:
        return "read"
    if isinstance(result, StreamingAgentChatResponse) and not result.is_done:
        return "written"
    return None
