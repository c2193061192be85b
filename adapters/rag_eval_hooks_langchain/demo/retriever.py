"""The demo's search as a retriever of LangChain."""

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import InstanceOf

from rag_eval_hooks.demo.search import Bm25Index

__all__ = ["Bm25Retriever"]


class Bm25Retriever(BaseRetriever):
    """Returns what the index finds; a document's score is in its metadata, as `score`."""

    index: InstanceOf[Bm25Index]

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002  the signature is the framework's
    ) -> list[Document]:
        return [
            Document(id=chunk.id, page_content=chunk.text, metadata={**chunk.metadata, "score": score})
            for chunk, score in self.index.search(query)
        ]
