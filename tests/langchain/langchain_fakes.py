"""Offline models, retrievers and chains for the adapter tests: deterministic, no sleeps."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnablePassthrough, RunnableSequence
from many_questions import answer_about, facts_about
from support_texts import TEXTS

LONG = "one two three four five six seven eight"
"""An answer that can be left half-way."""

USAGE = {"input_tokens": 100, "output_tokens": 5, "total_tokens": 105}
"""What every call of `FakeChat` takes."""


def documents(keys: str = "abc") -> list[Document]:
    return [Document(id=key, page_content=TEXTS[key], metadata={"source": f"{key}.txt"}) for key in keys]


class FakeRetriever(BaseRetriever):
    """Returns new documents each time: fixed ones, or what `find` makes of the query."""

    keys: str = "abc"
    find: Callable[[str], list[Document]] | None = None
    error: BaseException | None = None
    gate: Any = None
    """Waited for before anything is returned."""
    entered: Any = None
    """Set when a search has begun."""

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        if self.entered is not None:
            self.entered.set()
        if self.gate is not None:
            self.gate.wait(20)
        if self.error is not None:
            raise self.error
        return documents(self.keys) if self.find is None else self.find(query)


class FakeChat(BaseChatModel):
    """Says what `say` makes of the messages, at once or word by word."""

    say: Callable[[Sequence[BaseMessage]], str | AIMessage] = lambda _: "It passes Basel [1]."
    error: BaseException | None = None
    fail_after: int | None = None
    """Streaming fails after this many words."""
    pause: Any = None
    """Async streaming waits for this event after its second word."""
    paused: Any = None
    """Set when async streaming waits."""

    @property
    def _llm_type(self) -> str:
        return "fake"

    def get_num_tokens(self, text: str) -> int:
        return len(text.split())  # the default would download a tokenizer

    def bind_tools(self, tools: Any, **kwargs: Any) -> "FakeChat":
        return self

    def _message(self, messages: Sequence[BaseMessage]) -> AIMessage:
        if self.error is not None:
            raise self.error
        said = self.say(messages)
        if isinstance(said, AIMessage):
            return said
        return AIMessage(content=said, usage_metadata={**USAGE})

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._message(messages))])

    def _chunks(self, messages: list[BaseMessage]) -> Iterator[ChatGenerationChunk]:
        message = self._message(messages)
        words = str(message.content).split(" ")
        if message.tool_calls:
            words = []
            pieces = [
                {"name": call["name"], "args": json.dumps(call["args"]), "id": call["id"], "index": index}
                for index, call in enumerate(message.tool_calls)
            ]
            yield ChatGenerationChunk(message=AIMessageChunk(content=message.content, tool_call_chunks=pieces))
        for number, word in enumerate(words):
            if number == self.fail_after:
                raise ConnectionResetError("cut")
            last = number == len(words) - 1
            yield ChatGenerationChunk(message=AIMessageChunk(content=word if last else word + " "))
        yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata={**USAGE}))

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in self._chunks(messages):
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Any:
        for number, chunk in enumerate(self._chunks(messages)):
            if number == 2 and self.pause is not None:
                self.paused.set()
                await self.pause.wait()
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


def asks(*queries: str, tool: str = "search") -> AIMessage:
    """A reply that calls a tool once for each query."""
    made = [{"name": tool, "args": {"query": query}, "id": f"{tool}-{query}", "type": "tool_call"} for query in queries]
    return AIMessage(content="", tool_calls=made, usage_metadata={**USAGE})


def acting(*turns: str | AIMessage, **options: Any) -> FakeChat:
    """A model that says the next of `turns` each time, going by how often it has spoken in the conversation."""
    return FakeChat(say=lambda messages: turns[sum(isinstance(message, AIMessage) for message in messages)], **options)


def join(found: Sequence[Document]) -> str:
    return "\n\n".join(f"[{number}] {document.page_content}" for number, document in enumerate(found, 1))


def rag(
    model: BaseChatModel | None = None,
    retriever: Runnable[Any, Any] | None = None,
    pack: Callable[[list[Document]], str] = join,
) -> RunnableSequence[Any, Any]:
    prompt = ChatPromptTemplate.from_messages([("system", "Answer from:\n{context}"), ("human", "{question}")])
    sources = {"context": (retriever or FakeRetriever()) | pack, "question": RunnablePassthrough()}
    return sources | prompt | (model or FakeChat()) | StrOutputParser()


def echo_chain() -> Runnable[Any, Any]:
    """A chain whose documents and answer carry the question's token."""

    def find(query: str) -> list[Document]:
        return [Document(page_content=text, id=key) for key, text in facts_about(query).items()]

    def say(messages: Sequence[BaseMessage]) -> str:
        return answer_about(str(messages[-1].content))

    return rag(FakeChat(say=say), FakeRetriever(find=find))
