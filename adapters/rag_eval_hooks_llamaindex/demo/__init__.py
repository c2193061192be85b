"""The demo's pipeline in LlamaIndex; what it asks, searches and answers with is in `rag_eval_hooks.demo`.

`build_engine` is the pipeline alone, to play with.
"""

from rag_eval_hooks_llamaindex.demo.engine import DemoPipeline, build_engine
from rag_eval_hooks_llamaindex.demo.model import ExtractiveLLM, build_model
from rag_eval_hooks_llamaindex.demo.retriever import Bm25Retriever

__all__ = ["Bm25Retriever", "DemoPipeline", "ExtractiveLLM", "build_engine", "build_model"]
