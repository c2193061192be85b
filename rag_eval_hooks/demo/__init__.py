"""A whole RAG pipeline over the Python language reference, evaluated as it runs: no key, no network.

What does not depend on a framework is here: corpus, questions and what is right for each (`gold`), search, prompt and
model. Each adapter has a thin pipeline around it, `rag_eval_hooks_<framework>.demo`. `run_demo` asks the questions.
"""

from rag_eval_hooks.demo.run import run_demo

__all__ = ["run_demo"]
