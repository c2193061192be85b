"""What the LangChain callback costs the host: bare chain, a handler that does nothing, ours, and others, interleaved.

Run: python benchmarks/overhead_langchain.py [--rounds 60] [--batch 20] [--share 0.1] [--only invoke]

The chain is an LCEL chain with 10 documents of 1 kB and a fake model that answers at once, so that the ratios are the
worst case: a model that takes half a second hides all of it. Batches of the variants take turns in one process, so
that a slow moment of the machine hits all of them; `cpu`, the process time of a batch (all threads), is what a busy
machine disturbs least. In brackets is the 95 % interval of the ratio of medians (rounds drawn anew). Figures are told
apart:

- bare again: the same as bare; how far it is from 1 is the noise of the machine.
- no-op: what LangChain itself takes for calling any handler; most of the cost of a stream of tokens.
- capture: our callbacks alone; nothing is evaluated meanwhile (the worker starts after the measured batch).
- never idle: the worker evaluates under the measured chain, as in a service without a pause (`patience_s=0`); it
  takes at most its `share` of one core, and what it cannot keep up with is evaluated after the batch.
- default: as it comes. The worker waits up to 2 s for a pause, so that a batch shorter than that does not meet it.
- openinference, langfuse: LangChain's callbacks made into OpenTelemetry spans, for comparison; their spans end in an
  exporter that drops them, so that neither serialising nor sending is counted. `pip install "rag-eval-hooks[bench]"`.
- CPU per question: process time of all threads, without evaluation (it waits) and with all records evaluated.
"""

# ruff: noqa: ARG002  the signatures are the framework's
import argparse
import asyncio
import contextlib
import logging
import os
import platform
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from typing import Any

from interleaved.variants import ANSWER, QUESTION, Batch, Variant, awaited, calls, compare, cpu, span_exporter, text
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnablePassthrough

from rag_eval_hooks_langchain import Hooks, RagEvalCallbackHandler

DOCUMENTS = [Document(id=f"d{n}", page_content=text(n), metadata={"source": f"{n}.txt", "page": n}) for n in range(10)]


class Search(BaseRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return list(DOCUMENTS)


class Chat(BaseChatModel):
    seconds: float = 0.0

    @property
    def _llm_type(self) -> str:
        return "fake"

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        time.sleep(self.seconds)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=ANSWER))])

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        for number in range(60):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=f"word{number} "))
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        await asyncio.sleep(self.seconds)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=ANSWER))])

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for number in range(60):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=f"word{number} "))
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


class NoOp(BaseCallbackHandler):
    run_inline = True

    def on_chain_start(self, *args: Any, **kwargs: Any) -> None: ...

    on_chain_end = on_chain_error = on_retriever_start = on_retriever_end = on_retriever_error = on_chain_start
    on_chat_model_start = on_llm_end = on_llm_error = on_llm_new_token = on_chain_start


def fake_chain(seconds: float = 0.0) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages([("system", "Answer from:\n{context}"), ("human", "{question}")])
    pack = lambda found: "\n\n".join(f"[{n}] {d.page_content}" for n, d in enumerate(found, 1))  # noqa: E731
    return (
        {"context": Search() | pack, "question": RunnablePassthrough()}
        | prompt
        | Chat(seconds=seconds)
        | StrOutputParser()
    )


# Variants ------------------------------------------------------------------------------------------------------------


def _variants(share: float) -> list[Variant]:
    return [
        Variant("bare"),
        Variant("bare again"),
        Variant("no-op", {"callbacks": [NoOp()]}),
        ours("capture", linger_s=30.0),
        ours("never idle", patience_s=0.0, share=share),
        ours("default", share=share),
        *others(),
    ]


def ours(name: str, **options: Any) -> Variant:
    hooks = Hooks(keep=0, **options)
    config = {"callbacks": [RagEvalCallbackHandler(hooks)]}
    return Variant(name, config, hooks, settle=lambda: hooks.flush(60), close=lambda: hooks.close(60))


def others() -> list[Variant]:
    """Other people's handlers, as far as they are installed."""
    found = []
    for name, make in (("openinference", _openinference), ("langfuse", _langfuse)):
        try:
            found.append(make())
        except (ImportError, TypeError) as error:  # TypeError: an older langfuse, whose client takes no exporter
            print(f'{name}: left out ({error}); install: pip install "rag-eval-hooks[bench]"')
    return found


def _openinference() -> Variant:
    from openinference.instrumentation.langchain import LangChainInstrumentor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    warnings.filterwarnings("ignore", message="Calling .text")  # LangChain's, of how it reads messages
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(span_exporter()))

    @contextlib.contextmanager
    def instrumented() -> Iterator[None]:
        # It wraps the constructor of LangChain's callback managers, for every chain of the process: only now.
        LangChainInstrumentor().instrument(tracer_provider=provider)
        try:
            yield
        finally:
            LangChainInstrumentor().uninstrument()

    return Variant("openinference", attached=instrumented, settle=provider.force_flush, close=provider.shutdown)


def _langfuse() -> Variant:
    from langfuse import Langfuse
    from langfuse.langchain import CallbackHandler
    from opentelemetry.sdk.trace import TracerProvider

    logging.getLogger("langfuse").setLevel(logging.ERROR)  # it says of each answer that it does not know the model
    client = Langfuse(
        public_key="pk-bench",
        secret_key="sk-bench",  # noqa: S106  nobody asks for it
        base_url="http://127.0.0.1:9",
        tracer_provider=TracerProvider(),
        span_exporter=span_exporter(),
    )
    config = {"callbacks": [CallbackHandler(public_key="pk-bench")]}
    return Variant("langfuse", config, settle=client.flush, close=client.shutdown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--share", type=float, default=0.1, help="largest share of a core while the host is at work")
    parser.add_argument("--only", default="", help="run the parts whose name holds this text")
    options = parser.parse_args()
    quick, waiting = fake_chain(), fake_chain(seconds=0.02)

    def stream(config: Any) -> None:
        for _ in quick.stream(QUESTION, config=config):
            pass

    async def astream(config: Any) -> None:
        async for _ in quick.astream(QUESTION, config=config):
            pass

    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {options.rounds} x {options.batch} calls each")
    with asyncio.Runner() as runner:
        invoke = calls(lambda config: quick.invoke(QUESTION, config=config))
        parts: list[tuple[str, Batch, int]] = [
            ("invoke", invoke, options.batch),
            ("ainvoke", awaited(runner, lambda config: quick.ainvoke(QUESTION, config=config)), options.batch),
            ("stream of 60 tokens", calls(stream), options.batch // 2),
            ("astream of 60 tokens", awaited(runner, astream), options.batch // 2),
            (
                "invoke, model of 20 ms",
                calls(lambda config: waiting.invoke(QUESTION, config=config)),
                options.batch // 10,
            ),
        ]
        for name, batch, size in parts:
            if options.only in name:
                compare(name, batch, _variants(options.share), options.rounds, size)
        if options.only in "cpu":
            mine = ours("ours", linger_s=600.0, patience_s=600.0, queue_items=100_000)
            cpu(invoke, [Variant("bare"), Variant("no-op", {"callbacks": [NoOp()]}), *others(), mine], 300)


if __name__ == "__main__":
    main()
