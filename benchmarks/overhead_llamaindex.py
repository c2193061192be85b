"""What attaching costs LlamaIndex's host: bare engine, handlers that do nothing, ours, and others, interleaved.

Run: python benchmarks/overhead_llamaindex.py [--rounds 60] [--batch 20] [--share 0.1] [--only query]

The engine has 10 nodes of 1 kB and a fake chat model that answers at once, so that the ratios are the worst case: a
model that takes half a second hides all of it. How the figures come about, and the variants, are those of
`overhead_langchain.py`; handlers are LlamaIndex's for the whole process, so each variant attaches its own around its
batch. Figures are told apart:

- bare again: the same as bare; how far it is from 1 is the noise of the machine.
- no-op: an event handler and a span handler whose methods return at once.
- capture: our callbacks alone; nothing is evaluated meanwhile (the worker starts after the measured batch).
- never idle: the worker evaluates under the measured engine, as in a service without a pause (`patience_s=0`).
- default: as it comes. The worker waits up to 2 s for a pause, so that a batch shorter than that does not meet it.
- openinference: LlamaIndex's spans made into OpenTelemetry spans, for comparison; they end in an exporter that drops
  them, so that neither serialising nor sending is counted. `pip install "rag-eval-hooks[bench]"`.
- CPU per question: process time of all threads, without evaluation (it waits) and with all records evaluated.
"""

# ruff: noqa: ARG002  the signatures are the framework's
import argparse
import asyncio
import contextlib
import os
import platform
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from interleaved.variants import ANSWER, QUESTION, Batch, Variant, awaited, calls, compare, cpu, span_exporter, text
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from rag_eval_hooks_llamaindex import Hooks, attach

NODES = [
    NodeWithScore(
        node=TextNode(id_=f"d{n}", text=text(n), metadata={"source": f"{n}.txt", "page": n}), score=1 / (n + 1)
    )
    for n in range(10)
]


class Search(BaseRetriever):
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return list(NODES)


class Chat(CustomLLM):
    seconds: float = 0.0

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=32_000, num_output=256, is_chat_model=True, model_name="fake")

    def _said(self) -> ChatResponse:
        return ChatResponse(message=ChatMessage(role="assistant", content=ANSWER))

    def _words(self) -> Iterator[ChatResponse]:
        so_far = ""
        for number in range(60):
            so_far += f"word{number} "
            yield ChatResponse(message=ChatMessage(role="assistant", content=so_far), delta=f"word{number} ")

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        time.sleep(self.seconds)
        return self._said()

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        await asyncio.sleep(self.seconds)
        return self._said()

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Iterator[ChatResponse]:
        def words() -> Iterator[ChatResponse]:
            yield from self._words()

        return words()

    @llm_chat_callback()
    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> AsyncIterator[ChatResponse]:
        async def words() -> AsyncIterator[ChatResponse]:
            for word in self._words():
                yield word

        return words()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        raise NotImplementedError

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError


def fake_engine(seconds: float = 0.0, **options: Any) -> RetrieverQueryEngine:
    return RetrieverQueryEngine.from_args(Search(), llm=Chat(seconds=seconds), **options)


class NoOpEvents(BaseEventHandler):
    def handle(self, event: Any, **kwargs: Any) -> None: ...


class NoOpSpans(BaseSpanHandler[Any]):
    def span_enter(self, *args: Any, **kwargs: Any) -> None: ...

    span_exit = span_drop = new_span = prepare_to_exit_span = prepare_to_drop_span = span_enter


# Variants ------------------------------------------------------------------------------------------------------------


def _variants(share: float) -> list[Variant]:
    return [
        Variant("bare"),
        Variant("bare again"),
        no_op(),
        ours("capture", linger_s=30.0),
        ours("never idle", patience_s=0.0, share=share),
        ours("default", share=share),
        *others(),
    ]


def ours(name: str, **options: Any) -> Variant:
    hooks = Hooks(keep=0, **options)

    @contextlib.contextmanager
    def attached() -> Iterator[None]:
        attachment = attach(hooks)
        try:
            yield
        finally:
            attachment.detach()

    return Variant(name, None, hooks, attached, settle=lambda: hooks.flush(60), close=lambda: hooks.close(60))


def no_op() -> Variant:
    events, spans = NoOpEvents(), NoOpSpans()

    @contextlib.contextmanager
    def attached() -> Iterator[None]:
        root = get_dispatcher()
        before = list(root.event_handlers), list(root.span_handlers)
        root.add_event_handler(events)
        root.add_span_handler(spans)
        try:
            yield
        finally:
            root.event_handlers[:], root.span_handlers[:] = before

    return Variant("no-op", attached=attached)


def others() -> list[Variant]:
    """Other people's handlers, as far as they are installed."""
    try:
        from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        print(f'openinference: left out ({error}); install: pip install "rag-eval-hooks[bench]"')
        return []
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(span_exporter()))

    @contextlib.contextmanager
    def attached() -> Iterator[None]:
        LlamaIndexInstrumentor().instrument(tracer_provider=provider)
        try:
            yield
        finally:
            LlamaIndexInstrumentor().uninstrument()

    return [Variant("openinference", attached=attached, settle=provider.force_flush, close=provider.shutdown)]


# Calls ---------------------------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--share", type=float, default=0.1, help="largest share of a core while the host is at work")
    parser.add_argument("--only", default="", help="run the parts whose name holds this text")
    options = parser.parse_args()
    compact, simple = fake_engine(), fake_engine(response_mode="simple_summarize")
    streaming, waiting = fake_engine(streaming=True), fake_engine(seconds=0.02)

    def stream(_: Any) -> None:
        response: Any = streaming.query(QUESTION)
        for _token in response.response_gen:
            pass

    async def astream(_: Any) -> None:
        response: Any = await streaming.aquery(QUESTION)
        async for _token in response.async_response_gen():
            pass

    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {options.rounds} x {options.batch} calls each")
    with asyncio.Runner() as runner:
        query = calls(lambda _: compact.query(QUESTION))
        parts: list[tuple[str, Batch, int]] = [
            ("query, compact", query, options.batch),
            ("query, simple_summarize", calls(lambda _: simple.query(QUESTION)), options.batch),
            ("aquery, compact", awaited(runner, lambda _: compact.aquery(QUESTION)), options.batch),
            ("stream of 60 tokens", calls(stream), options.batch // 2),
            ("astream of 60 tokens", awaited(runner, astream), options.batch // 2),
            ("query, model of 20 ms", calls(lambda _: waiting.query(QUESTION)), options.batch // 10),
        ]
        for name, batch, size in parts:
            if options.only in name:
                compare(name, batch, _variants(options.share), options.rounds, size)
        if options.only in "cpu":
            mine = ours("ours", linger_s=600.0, patience_s=600.0, queue_items=100_000)
            cpu(query, [Variant("bare"), no_op(), *others(), mine], 300)


if __name__ == "__main__":
    main()
