"""`RagEvalCallbackHandler`: LangChain and LangGraph events to collector calls, and no decisions."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import Any, Self
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult

from rag_eval_hooks.capture import UNSET, Collector, Items, Message, Reply, caught
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.hooks import Hooks, RunSink
from rag_eval_hooks.live import Live, hooks_from
from rag_eval_hooks.metrics import Metric
from rag_eval_hooks.record import Gold, RagRun
from rag_eval_hooks_langchain.compat import (
    FALLBACKS,
    FALLBACKS_SEEN,
    HIDDEN,
    fallback_parent,
    note_branch,
    note_fallbacks,
)
from rag_eval_hooks_langchain.extract import (
    document_lists,
    items_from_documents,
    prompt_from_messages,
    prompt_from_texts,
    reply_from_result,
    snapshot,
    tool_lists,
)

__all__ = ["RagEvalCallbackHandler"]


class RagEvalCallbackHandler(Live, BaseCallbackHandler):
    """Evaluates every question that runs through a LangChain or LangGraph pipeline, without a model call.

    Attach one object to the whole chain, by `config={"callbacks": [handler]}` or `chain.with_config(callbacks=...)`;
    it may be shared by all chains, threads and event loops of a process. The callbacks take microseconds, never raise,
    never block, and never change the pipeline's objects; matching and evaluation happen on a background thread. Only a
    `KeyboardInterrupt` or `SystemExit` that comes while one runs is passed on: it is meant for the application.

    Copies (`copy.copy`, `copy.deepcopy`) are the same object. A pickled handler comes back switched off: it can be
    passed around and called, and records nothing.

    Args:
        hooks: The hooks to feed, to be shared with other handlers; by default new ones are made from the rest.
        sinks: Where each record goes, one sink or several; see `rag_eval_hooks.sinks`.
        k: Cut-off for measures that take one.
        metrics: The measures to compute, as values or names (`"P@5"`).
        gold: Returns the labels of a run, or None.
        **options: Further options of `Hooks`.

    Raises:
        ConfigError: If an argument is out of range, or `hooks` is given together with others.
    """

    run_inline = True
    raise_error = False
    # Asked before every event; the base class answers with properties.
    ignore_chain = ignore_llm = ignore_chat_model = ignore_retriever = ignore_agent = False

    def __init__(
        self,
        hooks: Hooks | None = None,
        *,
        sinks: RunSink | Iterable[RunSink] = (),
        k: int | None = None,
        metrics: Sequence[Metric | str] | None = None,
        gold: Callable[[RagRun], Gold | None] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        if hooks is None:
            hooks = hooks_from({"sinks": sinks, "k": k, "metrics": metrics, "gold": gold, **options})
        elif sinks or k is not None or metrics is not None or gold is not None or options:
            raise ConfigError("give either hooks or the options to make them from, not both")
        if not isinstance(hooks, Hooks):
            raise ConfigError(f"hooks: expected a Hooks object, got {hooks!r}; name other arguments, as in sinks=[...]")
        self.hooks = hooks
        self._collector: Collector = hooks.collector(_captured_by(), _id_text)

    @property
    def collector(self) -> Collector:
        """What takes this handler's events; for `question`."""
        return self._collector

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # LangChain copies handlers along with configs; all copies must feed the same records.
    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[[], "RagEvalCallbackHandler"], tuple[()]]:
        return (_switched_off, ())

    # What runs at every event costs the host most by how it is called: arguments that LangChain always gives are named
    # even if nobody uses them (`**_` would build a dictionary of them each time), and `try` costs nothing where
    # `with guarded(...)` is two calls.

    # Chains ------------------------------------------------------------------------------------------------------

    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        name: str | None = None,
        **_: Any,
    ) -> None:
        """Notes the start of a chain, prompt, parser, function or graph node."""
        try:
            name = name or _name(serialized)
            if parent_run_id is None:
                parent = fallback_parent(inputs, self._collector.is_open)
            else:
                parent = parent_run_id.int
                if FALLBACKS_SEEN:
                    note_branch(parent)
            if name == FALLBACKS:
                note_fallbacks(run_id, inputs)
            self._collector.start(run_id.int, parent, "chain", name, inputs, tags, metadata, snapshot)
        except BaseException as error:
            caught("langchain.on_chain_start", error)

    def on_chain_end(
        self,
        outputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        inputs: Any = UNSET,
        **_: Any,
    ) -> None:
        """Notes the end of a chain; streaming runs bring their input only now."""
        try:
            lists: tuple[Items, ...] = ()
            try:
                if not tags or HIDDEN not in tags:
                    lists = document_lists(outputs)
            finally:
                self._collector.end(run_id.int, outputs, lists, inputs, snapshot)
        except BaseException as error:
            caught("langchain.on_chain_end", error)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, inputs: Any = UNSET, **_: Any) -> None:
        """Notes that a chain failed, was cancelled, or was closed by its consumer."""
        try:
            self._collector.fail(run_id.int, error, inputs, snapshot)
        except BaseException as failure:
            caught("langchain.on_chain_error", failure)

    # Models ------------------------------------------------------------------------------------------------------

    def on_chat_model_start(
        self,
        serialized: dict[str, Any] | None,
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        name: str | None = None,
        **_: Any,
    ) -> None:
        """Notes a chat model call and its prompt; call parameters are not looked at, they may hold keys."""
        try:
            prompt: tuple[Message, ...] = ()
            try:
                prompt = prompt_from_messages(messages[0] if messages else ())
            finally:  # what cannot be read starts all the same
                name = name or _name(serialized)
                parent = None if parent_run_id is None else parent_run_id.int
                self._collector.start(run_id.int, parent, "model", name, prompt, tags, metadata)
        except BaseException as error:
            caught("langchain.on_chat_model_start", error)

    def on_llm_start(
        self,
        serialized: dict[str, Any] | None,
        prompts: list[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        name: str | None = None,
        **_: Any,
    ) -> None:
        """Notes a text model call and its prompt."""
        try:
            prompt = prompt_from_texts(prompts)
            name = name or _name(serialized)
            parent = None if parent_run_id is None else parent_run_id.int
            self._collector.start(run_id.int, parent, "model", name, prompt, tags, metadata)
        except BaseException as error:
            caught("langchain.on_llm_start", error)

    def on_llm_new_token(
        self,
        token: Any,
        *,
        chunk: Any = None,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        **_: Any,
    ) -> None:
        """Notes a streamed token."""
        try:
            self._collector.token(run_id.int, token)
        except BaseException as error:
            caught("langchain.on_llm_new_token", error)

    def on_stream_event(self, event: Any, *, run_id: UUID, **_: Any) -> None:
        """Notes what only the block events of `astream_events(version="v3")` say: parts of blocks, and the end."""
        try:
            kind = event["event"]
            if kind == "content-block-delta":
                text = event["delta"].get("text")
                if text:
                    self._collector.part(run_id.int, text)
            elif kind == "message-finish":
                usage = event.get("usage")
                self._collector.said(run_id.int, {**usage} if usage else None)
        except BaseException as error:
            caught("langchain.on_stream_event", error)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """Notes what a model call returned."""
        try:
            reply: Reply | None = None
            try:
                reply = reply_from_result(response)
            finally:
                self._collector.end(run_id.int, reply)
        except BaseException as error:
            caught("langchain.on_llm_end", error)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Notes that a model call failed."""
        try:
            self._collector.fail(run_id.int, error)
        except BaseException as failure:
            caught("langchain.on_llm_error", failure)

    # Retrievers --------------------------------------------------------------------------------------------------

    def on_retriever_start(
        self,
        serialized: dict[str, Any] | None,
        query: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        name: str | None = None,
        **_: Any,
    ) -> None:
        """Notes a search and its query."""
        try:
            name = name or _name(serialized)
            parent = None if parent_run_id is None else parent_run_id.int
            self._collector.start(run_id.int, parent, "retriever", name, query, tags, metadata)
        except BaseException as error:
            caught("langchain.on_retriever_start", error)

    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **_: Any) -> None:
        """Notes what a search returned."""
        try:
            items: Items | None = None
            try:
                items = items_from_documents(documents)
            finally:  # what cannot be read ends all the same
                self._collector.end(run_id.int, items)
        except BaseException as error:
            caught("langchain.on_retriever_end", error)

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Notes that a search failed."""
        try:
            self._collector.fail(run_id.int, error)
        except BaseException as failure:
            caught("langchain.on_retriever_error", failure)

    # Tools -------------------------------------------------------------------------------------------------------

    def on_tool_start(
        self,
        serialized: dict[str, Any] | None,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        name: str | None = None,
        **_: Any,
    ) -> None:
        """Notes a tool call."""
        try:
            name = name or _name(serialized)
            value = inputs or input_str
            parent = None if parent_run_id is None else parent_run_id.int
            self._collector.start(run_id.int, parent, "tool", name, value, tags, metadata, snapshot)
        except BaseException as error:
            caught("langchain.on_tool_start", error)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        """Notes what a tool returned."""
        try:
            lists: tuple[Items, ...] = ()
            try:
                lists = tool_lists(output)
            finally:
                self._collector.end(run_id.int, output, lists, UNSET, snapshot)
        except BaseException as error:
            caught("langchain.on_tool_end", error)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Notes that a tool failed."""
        try:
            self._collector.fail(run_id.int, error)
        except BaseException as failure:
            caught("langchain.on_tool_error", failure)


class _SwitchedOff(Collector):
    """Takes events and keeps nothing."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)

    def start(self, *_: Any, **__: Any) -> None: ...

    open = suppress = token = part = said = end = fail = start

    def is_open(self, run_id: Hashable) -> bool:
        return False


def _switched_off() -> RagEvalCallbackHandler:
    handler = RagEvalCallbackHandler(keep=0)
    handler._collector = _SwitchedOff()
    return handler


def _name(serialized: Any) -> str | None:
    """Returns the component's name where the framework gives it only in its description of the component."""
    if not isinstance(serialized, dict):
        return None
    name = serialized.get("name")
    if isinstance(name, str):
        return name
    path = serialized.get("id")
    return str(path[-1]) if isinstance(path, list) and path else None


def _id_text(number: int) -> str:
    # Ids are kept as numbers: the hash of a UUID is computed in Python each time.
    return str(UUID(int=number))


@cache
def _captured_by() -> str:
    try:
        return f"langchain {version('langchain-core')}"
    except PackageNotFoundError:
        return "langchain"
