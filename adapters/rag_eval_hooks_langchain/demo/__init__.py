"""A whole RAG pipeline over the Python language reference, evaluated as it runs: no key, no network.

`run_demo` asks the questions of `questions.py`; `build_chain` is the pipeline alone, to play with.
"""

from rag_eval_hooks_langchain.demo.chain import build_chain, build_model
from rag_eval_hooks_langchain.demo.run import run_demo

__all__ = ["build_chain", "build_model", "run_demo"]
