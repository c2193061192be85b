"""The demo's pipeline as a chain: retriever, numbered context, prompt, chat model, text."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough

from rag_eval_hooks.demo.pipelines import Ask
from rag_eval_hooks.demo.prompt import INSTRUCTIONS, item_text, user_text
from rag_eval_hooks.demo.search import Bm25Index
from rag_eval_hooks.hooks import Hooks
from rag_eval_hooks_langchain.demo.model import build_model
from rag_eval_hooks_langchain.demo.retriever import Bm25Retriever
from rag_eval_hooks_langchain.handler import RagEvalCallbackHandler

__all__ = ["PROMPT", "DemoPipeline", "build_chain", "numbered"]

PROMPT = ChatPromptTemplate.from_messages([("system", INSTRUCTIONS), ("human", user_text("{context}", "{question}"))])


def numbered(documents: Sequence[Document]) -> str:
    """Returns the context as the prompt shows it."""
    return "\n\n".join(
        item_text(number, document.metadata["source"], document.page_content)
        for number, document in enumerate(documents, 1)
    )


def build_chain(retriever: BaseRetriever, model: BaseChatModel) -> Runnable[str, str]:
    """Returns the pipeline as one runnable: a question in, an answer out."""
    context = retriever | RunnableLambda(numbered)
    chain = {"context": context, "question": RunnablePassthrough()} | PROMPT | model | StrOutputParser()
    return chain.with_config(run_name="python_reference_qa")


class DemoPipeline:
    """The chain over an index, with the model of that name."""

    def __init__(self, index: Bm25Index, model: str | None = None) -> None:
        self.chain = build_chain(Bm25Retriever(index=index), build_model(model))

    @contextmanager
    def attached(self, hooks: Hooks) -> Iterator[Ask]:
        """Gives a function that asks the chain, with the hooks attached."""
        handler = RagEvalCallbackHandler(hooks)

        def ask(question: str, metadata: Mapping[str, str]) -> str:
            return self.chain.invoke(question, config={"callbacks": [handler], "metadata": {**metadata}})

        yield ask
