"""The demo's pipeline as a query engine: retriever, numbered context, prompt, chat model."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from llama_index.core import ChatPromptTemplate
from llama_index.core.instrumentation.dispatcher import instrument_tags  # type: ignore[attr-defined]  # a public name
from llama_index.core.llms import LLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever

from rag_eval_hooks.demo.pipelines import Ask
from rag_eval_hooks.demo.prompt import INSTRUCTIONS, user_text
from rag_eval_hooks.demo.search import Bm25Index
from rag_eval_hooks.hooks import Hooks
from rag_eval_hooks_llamaindex.attach import attach
from rag_eval_hooks_llamaindex.demo.model import build_model
from rag_eval_hooks_llamaindex.demo.retriever import Bm25Retriever

__all__ = ["PROMPT", "DemoPipeline", "build_engine"]

PROMPT = ChatPromptTemplate.from_messages(
    [("system", INSTRUCTIONS), ("user", user_text("{context_str}", "{query_str}"))]
)


def build_engine(retriever: BaseRetriever, model: LLM, **options: Any) -> RetrieverQueryEngine:
    """Returns the pipeline as one query engine; options (`streaming=True`) are its own."""
    return RetrieverQueryEngine.from_args(retriever, llm=model, text_qa_template=PROMPT, **options)


class DemoPipeline:
    """The engine over an index, with the model of that name."""

    def __init__(self, index: Bm25Index, model: str | None = None) -> None:
        self.engine = build_engine(Bm25Retriever(index), build_model(model))

    @contextmanager
    def attached(self, hooks: Hooks) -> Iterator[Ask]:
        """Gives a function that asks the engine, with the hooks attached."""

        def ask(question: str, metadata: Mapping[str, str]) -> str:
            with instrument_tags({**metadata}):
                return str(self.engine.query(question))

        attachment = attach(hooks, self.engine)
        try:
            yield ask
        finally:
            attachment.detach()
