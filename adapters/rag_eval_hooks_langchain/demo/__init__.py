"""The demo's pipeline in LangChain; what it asks, searches and answers with is in `rag_eval_hooks.demo`.

`build_chain` is the pipeline alone, to play with.
"""

from rag_eval_hooks_langchain.demo.chain import DemoPipeline, build_chain
from rag_eval_hooks_langchain.demo.model import ExtractiveChatModel, build_model
from rag_eval_hooks_langchain.demo.retriever import Bm25Retriever

__all__ = ["Bm25Retriever", "DemoPipeline", "ExtractiveChatModel", "build_chain", "build_model"]
