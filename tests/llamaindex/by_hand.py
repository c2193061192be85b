"""Spans and events sent by hand through LlamaIndex's root dispatcher, as odd as its own code never sends them."""

import uuid
from inspect import BoundArguments, Signature
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent, LLMChatStartEvent
from llamaindex_fakes import FakeLLM, FakeRetriever, engine
from support_texts import TEXTS

__all__ = ["dropped", "ended", "entered", "exited", "new_id", "played", "sent", "started"]


def new_id(instance: Any, method: str) -> str:
    """An id as LlamaIndex makes it."""
    return f"{type(instance).__name__}.{method}-{uuid.uuid4()}"


def _bound(**arguments: Any) -> BoundArguments:
    bound = Signature().bind()
    bound.arguments.update(arguments)
    return bound


def entered(run_id: Any, instance: Any, parent: Any = None, **arguments: Any) -> Any:
    """Enters a span whose method was called with these arguments; returns its id."""
    get_dispatcher().span_enter(
        id_=run_id, bound_args=_bound(**arguments), instance=instance, parent_id=parent, tags={}
    )
    return run_id


def exited(run_id: Any, instance: Any, result: Any = None) -> None:
    get_dispatcher().span_exit(id_=run_id, bound_args=_bound(), instance=instance, result=result)


def dropped(run_id: Any, instance: Any, error: Any = None) -> None:
    get_dispatcher().span_drop(id_=run_id, bound_args=_bound(), instance=instance, err=error)


def sent(event: Any) -> None:
    get_dispatcher().event(event)


def started(run_id: Any, messages: Any) -> None:
    """Tells that a chat model is called, with whatever stands for messages."""
    fields = {"model_dict": {}, "additional_kwargs": {}, "tags": {}}
    sent(LLMChatStartEvent.model_construct(span_id=run_id, messages=messages, **fields))


def ended(run_id: Any, response: Any) -> None:
    """Tells that it returned whatever stands for a response."""
    sent(LLMChatEndEvent.model_construct(span_id=run_id, messages=[], response=response, tags={}))


PROMPT = (ChatMessage(role="user", content=TEXTS["a"]),)
REPLY = ChatResponse(message=ChatMessage(role="assistant", content="Basel."))


def played(found: Any, messages: Any = PROMPT, said: Any = REPLY) -> None:
    """A whole question, whose search returns this, and whose model is given and says this; the answer is "Basel."."""
    asked, search, model = engine(), FakeRetriever(), FakeLLM()
    root = entered(new_id(asked, "query"), asked, str_or_query_bundle="Q?")
    inner = entered(new_id(search, "retrieve"), search, root, str_or_query_bundle="Q?")
    exited(inner, search, found)
    call = entered(new_id(model, "chat"), model, root)
    started(call, messages)
    ended(call, said)
    exited(call, model)
    exited(root, asked, "Basel.")
