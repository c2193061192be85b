"""Graphs for the adapter tests: a state with a question, documents and an answer, and nodes that search and answer."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypedDict

from langchain_core.documents import Document
from langchain_fakes import FakeChat, FakeRetriever, join

__all__ = ["Node", "State", "generate", "line", "search"]

Node = Callable[[Any], Any]


class State(TypedDict, total=False):
    question: str
    docs: list[Document]
    answer: str


def line(*nodes: tuple[str, Node], state: Any = State, **options: Any) -> Any:
    """A graph whose nodes run one after the other."""
    from langgraph.graph import END, START, StateGraph

    built = StateGraph(state)
    for name, node in nodes:
        built.add_node(name, node)
    names = [START, *(name for name, _ in nodes), END]
    for before, after in pairwise(names):
        built.add_edge(before, after)
    return built.compile(**options)


def search(state: Any) -> Any:
    return {"docs": FakeRetriever().invoke(state["question"])}


def generate(state: Any) -> Any:
    prompt = [("system", join(state["docs"])), ("human", state["question"])]
    return {"answer": str(FakeChat().invoke(prompt).content)}
