"""What the LangChain callback costs the host: bare chain, a handler that does nothing, and ours, interleaved.

Run: python benchmarks/overhead_langchain.py [--rounds 10] [--batch 200] [--share 0.1]

The chain is an LCEL chain with 10 documents of 1 kB and a fake model that answers at once, so that the ratios are the
worst case: a model that takes half a second hides all of it. Batches of the variants take turns in one process, so
that a slow moment of the machine hits all of them. Figures are told apart:

- no-op: what LangChain itself takes for calling any handler; most of the cost of a stream of tokens.
- capture: our callbacks alone; nothing is evaluated meanwhile (the worker starts after the measured batch).
- never idle: the worker evaluates under the measured chain, as in a service without a pause (`patience_s=0`); it
  takes at most its `share` of one core, and what it cannot keep up with is evaluated after the batch.
- default: as it comes. The worker waits up to 2 s for a pause, so that a batch shorter than that does not meet it.
- CPU per question: process time of all threads, without evaluation (it waits) and with all records evaluated.
"""

# ruff: noqa: ARG002  the signatures are the framework's
import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

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

QUESTION = "When did the harbour of Basel open?"
ANSWER = "The harbour opened in 1906 [3]. It lies on the Rhine [1]. A second basin followed in 1936 [4]."


WORDS = (
    "water trade river goods crane barge grain authority basin customs lock freight coal oil steel winter summer "
    "flood channel bank quay railway tariff council voyage pilot master crew north south upper lower large small old "
    "new first later often seldom every other many between under after before during against within"
).split()


def _text(number: int) -> str:
    words = [WORDS[(number * 7919 + i * i * 31 + i * 17) % len(WORDS)] for i in range(220)]
    words[10:10] = f"The harbour number {number} opened in {1900 + number * 6} on the Rhine.".split()
    for end in range(25, 200, 14):
        words[end] = words[end] + "."
    return " ".join(words)[:1000]


DOCUMENTS = [Document(id=f"d{n}", page_content=_text(n), metadata={"source": f"{n}.txt", "page": n}) for n in range(10)]


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


class NoOp(BaseCallbackHandler):
    run_inline = True

    def on_chain_start(self, *args: Any, **kwargs: Any) -> None: ...

    on_chain_end = on_chain_error = on_retriever_start = on_retriever_end = on_retriever_error = on_chain_start
    on_chat_model_start = on_llm_end = on_llm_error = on_llm_new_token = on_chain_start


def _chain(seconds: float = 0.0) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages([("system", "Answer from:\n{context}"), ("human", "{question}")])
    pack = lambda found: "\n\n".join(f"[{n}] {d.page_content}" for n, d in enumerate(found, 1))  # noqa: E731
    return (
        {"context": Search() | pack, "question": RunnablePassthrough()}
        | prompt
        | Chat(seconds=seconds)
        | StrOutputParser()
    )


def _batch(call: Callable[[Any], Any], config: Any, size: int) -> list[float]:
    times = []
    for _ in range(size):
        began = time.perf_counter()
        call(config)
        times.append((time.perf_counter() - began) * 1_000)
    return times


def _compare(name: str, call: Callable[[Any], Any], rounds: int, size: int, share: float) -> None:
    ours = {
        "capture": Hooks(keep=0, linger_s=30.0),
        "never idle": Hooks(keep=0, patience_s=0.0, share=share),
        "default": Hooks(keep=0, share=share),
    }
    variants: dict[str, Any] = {"bare": {}, "no-op": {"callbacks": [NoOp()]}}
    variants |= {variant: {"callbacks": [RagEvalCallbackHandler(hooks)]} for variant, hooks in ours.items()}
    times: dict[str, list[list[float]]] = {variant: [] for variant in variants}
    names: Sequence[str] = list(variants)
    for number in range(-1, rounds):  # the first round warms up
        turn = number % len(names)
        for variant in (*names[turn:], *names[:turn]):
            _batch(call, variants["bare"], 5)  # the evaluation of the batch before has emptied the caches
            batch = _batch(call, variants[variant], size)
            if number >= 0:
                times[variant].append(batch)
            if variant in ours:
                ours[variant].flush(60)
    bare = times["bare"]
    print(f"{name}: bare {statistics.median(chain.from_iterable(bare)):.3f} ms")
    for variant in names[1:]:
        lost = ours[variant].stats()["queue_full"] if variant in ours else 0
        print(
            f"  {variant:<11} {_ratio(times[variant], bare, statistics.median):.3f} x"
            f"  median round {statistics.median(map(_round_ratio, times[variant], bare)):.3f} x"
            f"  mean {_ratio(times[variant], bare, statistics.fmean):.3f} x"
            f"  p90 {_ratio(times[variant], bare, _ninth):.3f} x" + (f"  queue_full {lost}" if lost else "")
        )
    for hooks in ours.values():
        hooks.close(60)


def _ratio(times: list[list[float]], bare: list[list[float]], figure: Callable[[list[float]], float]) -> float:
    return figure(list(chain.from_iterable(times))) / figure(list(chain.from_iterable(bare)))


def _round_ratio(times: list[float], bare: list[float]) -> float:
    return statistics.median(times) / statistics.median(bare)


def _ninth(values: list[float]) -> float:
    return statistics.quantiles(values, n=10)[-1]


def _cpu(call: Callable[[Any], Any], size: int) -> None:
    """Prints process time per question, all threads: before anything is evaluated, and with everything evaluated."""
    hooks = Hooks(keep=0, linger_s=600.0, patience_s=600.0, queue_items=100_000)
    configs = {"bare": {}, "no-op": {"callbacks": [NoOp()]}, "ours": {"callbacks": [RagEvalCallbackHandler(hooks)]}}
    figures: dict[str, float] = {}
    for name, config in configs.items():
        _batch(call, config, 20)
        hooks.flush(60)
        began = time.process_time()
        _batch(call, config, size)
        figures[f"{name} without evaluation" if name == "ours" else name] = time.process_time() - began
        if name == "ours":
            left = hooks.flush(600)
            figures["ours with evaluation"] = time.process_time() - began
            assert left == 0, f"{left} records were not evaluated"
    print("CPU per question: " + ", ".join(f"{name} {used / size * 1_000:.2f} ms" for name, used in figures.items()))
    hooks.close(60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--share", type=float, default=0.1, help="largest share of a core while the host is at work")
    options = parser.parse_args()
    quick, waiting = _chain(), _chain(seconds=0.02)

    def wait(config: Any) -> None:
        waiting.invoke(QUESTION, config=config)

    def invoke(config: Any) -> None:
        quick.invoke(QUESTION, config=config)

    def stream(config: Any) -> None:
        for _ in quick.stream(QUESTION, config=config):
            pass

    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {options.rounds} x {options.batch} calls each")
    _compare("invoke", invoke, options.rounds, options.batch, options.share)
    _compare("stream of 60 tokens", stream, options.rounds, options.batch // 2, options.share)
    _compare("invoke, model of 20 ms", wait, options.rounds, options.batch // 10, options.share)
    _cpu(invoke, 300)


if __name__ == "__main__":
    main()
