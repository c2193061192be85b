"""Reads logged runs again: JSONL or a store in, evaluations out."""

from rag_eval_hooks.replay.learn import learn_background
from rag_eval_hooks.replay.lines import Line, Problem, read_lines
from rag_eval_hooks.replay.load import load, load_one
from rag_eval_hooks.replay.replay import Summary, replay
from rag_eval_hooks.replay.source import Source, open_source

__all__ = [
    "Line",
    "Problem",
    "Source",
    "Summary",
    "learn_background",
    "load",
    "load_one",
    "open_source",
    "read_lines",
    "replay",
]
