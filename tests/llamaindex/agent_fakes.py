"""A model that calls tools, as agents need it: what it does at each turn is written down by the test."""

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llamaindex_fakes import ANSWER, USAGE

__all__ = ["Call", "FakeAgentLLM", "turns"]

Call = tuple[str, dict[str, Any]]
"""A tool's name, and what it is called with."""


class FakeAgentLLM(FunctionCallingLLM):
    """Says what `say` makes of the messages: a text, or calls of tools with or without a text beside them."""

    say: Callable[[Sequence[ChatMessage]], str | Call | list[Call]] = lambda _: ANSWER
    beside: str = ""
    """The text beside calls of tools."""
    usage: Any = USAGE

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(
            context_window=8_000,
            num_output=64,
            is_chat_model=True,
            is_function_calling_model=True,
            model_name="fake-agent",
        )

    def _prepare_chat_with_tools(
        self,
        tools: Any,
        user_msg: Any = None,
        chat_history: Any = None,
        verbose: bool = False,
        allow_parallel_tool_calls: bool = False,
        tool_required: bool = False,
        **_: Any,
    ) -> dict[str, Any]:
        messages = list(chat_history or [])
        if user_msg is not None:
            messages.append(ChatMessage(role="user", content=user_msg) if isinstance(user_msg, str) else user_msg)
        return {"messages": messages}

    def get_tool_calls_from_response(
        self, response: ChatResponse, error_on_no_tool_call: bool = True, **_: Any
    ) -> list[ToolSelection]:
        calls = response.message.additional_kwargs.get("tool_calls") or []
        if not calls and error_on_no_tool_call:
            raise ValueError("no tool was called")
        return [
            ToolSelection(tool_id=call["id"], tool_name=call["name"], tool_kwargs=json.loads(call["arguments"]))
            for call in calls
        ]

    def _message(self, messages: Sequence[ChatMessage]) -> ChatMessage:
        said = self.say(messages)
        if isinstance(said, str):
            return ChatMessage(role="assistant", content=said)
        calls = [
            {"id": f"call-{len(messages)}-{place}", "name": name, "arguments": json.dumps(given)}
            for place, (name, given) in enumerate([said] if isinstance(said, tuple) else said)
        ]
        return ChatMessage(role="assistant", content=self.beside, additional_kwargs={"tool_calls": calls})

    def _stream(self, messages: Sequence[ChatMessage]) -> Iterator[ChatResponse]:
        message = self._message(messages)
        so_far = ""
        for place, word in enumerate((message.content or "").split(" ")):
            delta = word if place == 0 else f" {word}"
            so_far += delta
            whole = ChatMessage(role="assistant", content=so_far, additional_kwargs=message.additional_kwargs)
            yield ChatResponse(message=whole, delta=delta)

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        raw = None if self.usage is None else {"usage": dict(self.usage)}
        return ChatResponse(message=self._message(messages), raw=raw)

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        raw = None if self.usage is None else {"usage": dict(self.usage)}
        return ChatResponse(message=self._message(messages), raw=raw)

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **_: Any) -> Any:
        def words() -> Any:
            yield from self._stream(messages)

        return words()

    @llm_chat_callback()
    async def astream_chat(self, messages: Sequence[ChatMessage], **_: Any) -> Any:
        async def words() -> AsyncIterator[ChatResponse]:
            for word in self._stream(messages):
                yield word

        return words()

    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        raise NotImplementedError("a chat model")

    async def acomplete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        raise NotImplementedError("a chat model")

    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
        raise NotImplementedError("a chat model")

    async def astream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
        raise NotImplementedError("a chat model")


def turns(*said: str | Call | list[Call]) -> Callable[[Sequence[ChatMessage]], str | Call | list[Call]]:
    """Returns a `say` that gives these in turn, and the last one again and again."""
    left = list(said)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]
