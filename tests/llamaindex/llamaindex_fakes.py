"""Offline models, retrievers and engines for the adapter's tests: deterministic, no sleeps."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from support_texts import TEXTS

__all__ = ["ANSWER", "LONG", "QUESTION", "TEXTS", "USAGE", "FakeLLM", "FakeRetriever", "FakeTextLLM", "engine", "nodes"]

QUESTION = "Which city does the Rhine pass?"
ANSWER = "It passes Basel [1]."
LONG = "one two three four five six seven eight"
"""An answer that can be left half-way."""

USAGE = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}
"""What every call of `FakeLLM` takes, streams aside."""


def nodes(keys: str = "abc", scores: Sequence[float] | None = None) -> list[NodeWithScore]:
    """New nodes each time; without scores of one's own .9, .8, .7 ..."""
    return [
        NodeWithScore(
            node=TextNode(id_=key, text=TEXTS[key], metadata={"source": f"{key}.txt"}),
            score=round(0.9 - 0.1 * place, 2) if scores is None else scores[place],
        )
        for place, key in enumerate(keys)
    ]


class FakeRetriever(BaseRetriever):
    """Returns new nodes each time: fixed ones, or what `find` makes of the query."""

    def __init__(
        self,
        keys: str = "abc",
        find: Callable[[str], list[NodeWithScore]] | None = None,
        *,
        error: BaseException | None = None,
        gate: Any = None,
        entered: Any = None,
    ) -> None:
        super().__init__()
        self.keys, self.find, self.error = keys, find, error
        self.gate, self.entered = gate, entered

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self.entered is not None:
            self.entered.set()
        if self.gate is not None:
            self.gate.wait(20)
        if self.error is not None:
            raise self.error
        return nodes(self.keys) if self.find is None else self.find(query_bundle.query_str)


class FakeLLM(CustomLLM):
    """A chat model that says what `say` makes of the messages, at once or word by word."""

    say: Callable[[Sequence[ChatMessage]], str | ChatMessage] = lambda _: ANSWER
    error: BaseException | None = None
    fail_after: int | None = None
    """Words of a stream after which it raises `error`; None raises at once."""
    window: int = 8_000
    usage: Any = USAGE

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=self.window, num_output=64, is_chat_model=True, model_name="fake-chat")

    def _response(self, messages: Sequence[ChatMessage]) -> ChatResponse:
        if self.error is not None:
            raise self.error
        said = self.say(messages)
        message = said if isinstance(said, ChatMessage) else ChatMessage(role="assistant", content=said)
        return ChatResponse(message=message, raw=None if self.usage is None else {"usage": dict(self.usage)})

    def _stream(self, messages: Sequence[ChatMessage]) -> Iterator[ChatResponse]:
        said = self.say(messages)
        so_far = ""
        for place, word in enumerate(str(said).split(" ")):
            if self.error is not None and place >= (self.fail_after or 0):
                raise self.error
            delta = word if place == 0 else f" {word}"
            so_far += delta
            yield ChatResponse(message=ChatMessage(role="assistant", content=so_far), delta=delta)

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        return self._response(messages)

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        return self._response(messages)

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

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        response = self._response([ChatMessage(role="user", content=prompt)])
        return CompletionResponse(text=response.message.content or "", raw=response.raw)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
        def words() -> Any:
            for part in self._stream([ChatMessage(role="user", content=prompt)]):
                yield CompletionResponse(text=part.message.content or "", delta=part.delta)

        return words()


class FakeTextLLM(CustomLLM):
    """A text model: all its other methods hand on to `complete` and `stream_complete`, as LlamaIndex's base does."""

    say: Callable[[str], str] = lambda _: ANSWER
    is_chat: bool = False
    """Whether it says it is a chat model, so that its `chat` is called."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=8_000, num_output=64, is_chat_model=self.is_chat, model_name="fake-text")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        counts = {"prompt_tokens": USAGE["prompt_tokens"], "completion_tokens": USAGE["completion_tokens"]}
        return CompletionResponse(text=self.say(prompt), additional_kwargs=counts)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
        def words() -> Any:
            so_far = ""
            for place, word in enumerate(self.say(prompt).split(" ")):
                delta = word if place == 0 else f" {word}"
                so_far += delta
                yield CompletionResponse(text=so_far, delta=delta)

        return words()


def engine(answer: str = ANSWER, keys: str = "abc", **options: Any) -> RetrieverQueryEngine:
    """A query engine of a fake retriever and model; `retriever` and `llm` may be given, and all of `from_args`."""
    retriever = options.pop("retriever", None) or FakeRetriever(keys)
    llm = options.pop("llm", None) or FakeLLM(say=lambda _: answer)
    return RetrieverQueryEngine.from_args(retriever, llm=llm, **options)
