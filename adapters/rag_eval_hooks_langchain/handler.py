"""`RagEvalCallbackHandler`: LangChain and LangGraph events to collector calls, and no decisions."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import Any, Self
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult

from rag_eval_hooks.capture import UNSET, Collector, Items, Message, Reply, guarded
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.hooks import Captured, Hooks, RunSink
from rag_eval_hooks.metrics import Metric
from rag_eval_hooks.record import Gold, RagRun
from rag_eval_hooks_langchain.compat import FALLBACKS, fallback_parent, note_fallbacks
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

LAST_WAIT_S = 2.0

HIDDEN = "langsmith:hidden"
"""Tag of steps that are the framework's own: langgraph < 0.3 writes a node's output to the state in one of them."""

# Looked up once: these run at every event of the host.
_ON_CHAIN_START = guarded("langchain.on_chain_start")
_ON_CHAIN_END = guarded("langchain.on_chain_end")
_ON_CHAIN_ERROR = guarded("langchain.on_chain_error")
_ON_CHAT_MODEL_START = guarded("langchain.on_chat_model_start")
_ON_LLM_START = guarded("langchain.on_llm_start")
_ON_LLM_NEW_TOKEN = guarded("langchain.on_llm_new_token")
_ON_LLM_END = guarded("langchain.on_llm_end")
_ON_LLM_ERROR = guarded("langchain.on_llm_error")
_ON_RETRIEVER_START = guarded("langchain.on_retriever_start")
_ON_RETRIEVER_END = guarded("langchain.on_retriever_end")
_ON_RETRIEVER_ERROR = guarded("langchain.on_retriever_error")
_ON_TOOL_START = guarded("langchain.on_tool_start")
_ON_TOOL_END = guarded("langchain.on_tool_end")
_ON_TOOL_ERROR = guarded("langchain.on_tool_error")


class RagEvalCallbackHandler(BaseCallbackHandler):
    """Evaluates every question that runs through a LangChain or LangGraph pipeline, without a model call.

    Attach one object to the whole chain, by `config={"callbacks": [handler]}` or `chain.with_config(callbacks=...)`;
    it may be shared by all chains, threads and event loops of a process. The callbacks take microseconds, never raise,
    never block, and never change the pipeline's objects; matching and evaluation happen on a background thread.

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
            hooks = Hooks(sinks, k=k, metrics=metrics, gold=gold, **options)
        elif sinks or k is not None or metrics is not None or gold is not None or options:
            raise ConfigError("give either hooks or the options to make them from, not both")
        if not isinstance(hooks, Hooks):
            raise ConfigError(f"hooks: expected a Hooks object, got {hooks!r}; name other arguments, as in sinks=[...]")
        self.hooks = hooks
        self._collector: Collector | _SwitchedOff = hooks.collector(_captured_by(), _id_text)

    # Results -----------------------------------------------------------------------------------------------------

    @property
    def last(self) -> Captured | None:
        """The newest finished record, with `.run` and `.evaluation`; None if there is none yet.

        Waits up to 2 seconds for questions that have just ended, so that it works right after `chain.invoke`; it is
        meant for the desk and blocks an event loop for that time. In a service, use sinks, or `hooks.last`. A stream
        that was left early, or a cancelled task, is recorded at once, without its grace time.
        """
        self.hooks.settle(LAST_WAIT_S)
        return self.hooks.last

    @property
    def records(self) -> tuple[Captured, ...]:
        """The newest finished records, oldest first; waits like `last`."""
        self.hooks.settle(LAST_WAIT_S)
        return self.hooks.records

    def flush(self, timeout: float = 5.0) -> int:
        """Waits until what has ended is evaluated and written; returns the number of records still waiting."""
        return self.hooks.flush(timeout)

    def close(self, timeout: float = 5.0) -> int:
        """Finishes all records and closes the sinks; returns the number of records that were not written in time."""
        return self.hooks.close(timeout)

    def stats(self) -> dict[str, int]:
        """Returns what happened to every question, by word; see `Hooks.stats`."""
        return self.hooks.stats()

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
        **kwargs: Any,
    ) -> None:
        """Notes the start of a chain, prompt, parser, function or graph node."""
        with _ON_CHAIN_START:
            name = kwargs.get("name") or _name(serialized)
            parent = None if parent_run_id is None else parent_run_id.int
            if parent is None:
                candidate = fallback_parent(inputs)
                parent = candidate if candidate is not None and self._collector.is_open(candidate) else None
            if name == FALLBACKS:
                note_fallbacks(run_id, inputs)
            self._collector.start(run_id.int, parent, "chain", name, inputs, tags, metadata, snapshot)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Notes the end of a chain; streaming runs bring their input only now."""
        with _ON_CHAIN_END:
            lists: tuple[Items, ...] = ()
            try:
                if HIDDEN not in (kwargs.get("tags") or ()):
                    lists = document_lists(outputs)
            finally:
                self._collector.end(run_id.int, outputs, lists, kwargs.get("inputs", UNSET), snapshot)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Notes that a chain failed, was cancelled, or was closed by its consumer."""
        with _ON_CHAIN_ERROR:
            self._collector.fail(run_id.int, error, kwargs.get("inputs", UNSET), snapshot)

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
        **kwargs: Any,
    ) -> None:
        """Notes a chat model call and its prompt; call parameters are not looked at, they may hold keys."""
        with _ON_CHAT_MODEL_START:
            prompt: tuple[Message, ...] = ()
            try:
                prompt = prompt_from_messages(messages[0] if messages else ())
            finally:  # what cannot be read starts all the same
                name = kwargs.get("name") or _name(serialized)
                self._collector.start(run_id.int, _int(parent_run_id), "model", name, prompt, tags, metadata)

    def on_llm_start(
        self,
        serialized: dict[str, Any] | None,
        prompts: list[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Notes a text model call and its prompt."""
        with _ON_LLM_START:
            prompt = prompt_from_texts(prompts)
            name = kwargs.get("name") or _name(serialized)
            self._collector.start(run_id.int, _int(parent_run_id), "model", name, prompt, tags, metadata)

    def on_llm_new_token(self, token: Any, *, run_id: UUID, **_: Any) -> None:
        """Notes a streamed token."""
        with _ON_LLM_NEW_TOKEN:
            self._collector.token(run_id.int, token)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """Notes what a model call returned."""
        with _ON_LLM_END:
            reply: Reply | None = None
            try:
                reply = reply_from_result(response)
            finally:
                self._collector.end(run_id.int, reply)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Notes that a model call failed."""
        with _ON_LLM_ERROR:
            self._collector.fail(run_id.int, error)

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
        **kwargs: Any,
    ) -> None:
        """Notes a search and its query."""
        with _ON_RETRIEVER_START:
            name = kwargs.get("name") or _name(serialized)
            self._collector.start(run_id.int, _int(parent_run_id), "retriever", name, query, tags, metadata)

    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **_: Any) -> None:
        """Notes what a search returned."""
        with _ON_RETRIEVER_END:
            items: Items | None = None
            try:
                items = items_from_documents(documents)
            finally:  # what cannot be read ends all the same
                self._collector.end(run_id.int, items)

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Notes that a search failed."""
        with _ON_RETRIEVER_ERROR:
            self._collector.fail(run_id.int, error)

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
        **kwargs: Any,
    ) -> None:
        """Notes a tool call."""
        with _ON_TOOL_START:
            name = kwargs.get("name") or _name(serialized)
            value = kwargs.get("inputs") or input_str
            self._collector.start(run_id.int, _int(parent_run_id), "tool", name, value, tags, metadata, snapshot)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        """Notes what a tool returned."""
        with _ON_TOOL_END:
            lists: tuple[Items, ...] = ()
            try:
                lists = tool_lists(output)
            finally:
                self._collector.end(run_id.int, output, lists, UNSET, snapshot)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Notes that a tool failed."""
        with _ON_TOOL_ERROR:
            self._collector.fail(run_id.int, error)


class _SwitchedOff:
    """Takes events and keeps nothing."""

    def start(self, *_: Any, **__: Any) -> None: ...

    def token(self, *_: Any) -> None: ...

    def end(self, *_: Any, **__: Any) -> None: ...

    def fail(self, *_: Any, **__: Any) -> None: ...

    def is_open(self, _: Any) -> bool:
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


def _int(run_id: UUID | None) -> int | None:
    return None if run_id is None else run_id.int


def _id_text(number: int) -> str:
    # Ids are kept as numbers: the hash of a UUID is computed in Python each time.
    return str(UUID(int=number))


@cache
def _captured_by() -> str:
    try:
        return f"langchain {version('langchain-core')}"
    except PackageNotFoundError:
        return "langchain"
