"""What the installed versions of LangChain and LangGraph have, and one name for what moved between them.

The adapter supports langchain-core 0.3 and 1.x, and the tests run on the oldest and the newest of both. A test that
needs what a version lacks says so with a name from here, and is then skipped with the reason.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

__all__ = [
    "agent",
    "classic",
    "core_version",
    "has_classic",
    "has_create_agent",
    "has_langgraph",
    "langgraph_version",
    "needs_agent",
    "needs_classic",
    "needs_create_agent",
    "needs_langgraph",
    "since_core",
    "since_langgraph",
]

Version = tuple[int, ...]


def _version(package: str) -> Version:
    """The numbers of an installed package's version; () if it is not installed, which is older than every version."""
    try:
        return tuple(int(part) for part in version(package).split(".")[:3])
    except PackageNotFoundError:
        return ()


core_version = _version("langchain-core")
langgraph_version = _version("langgraph")

_IS_1 = core_version >= (1,)
_CLASSIC = "langchain_classic" if _IS_1 else "langchain"

has_classic = find_spec(_CLASSIC) is not None
has_langgraph = bool(langgraph_version)
has_create_agent = _version("langchain") >= (1,)


def _needs(is_there: bool, what: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not is_there, reason=f"needs {what}; langchain-core is {version('langchain-core')}")


needs_classic = _needs(has_classic, f"{_CLASSIC} (chains and retrievers of before 1.0)")
needs_langgraph = _needs(has_langgraph, "langgraph")
needs_create_agent = _needs(has_create_agent, "langchain >= 1 (create_agent)")
needs_agent = _needs(has_create_agent or has_langgraph, "langchain >= 1 or langgraph")


def since_core(*wanted: int) -> pytest.MarkDecorator:
    """Marks a test of what langchain-core has since a version: `@since_core(0, 3, 49)`."""
    return _needs(core_version >= wanted, f"langchain-core >= {'.'.join(map(str, wanted))}")


def since_langgraph(*wanted: int) -> pytest.MarkDecorator:
    """Marks a test of what langgraph has since a version: `@since_langgraph(0, 4)`."""
    return _needs(langgraph_version >= wanted, f"langgraph >= {'.'.join(map(str, wanted))}")


def classic(name: str) -> ModuleType:
    """Returns a module of the old chains and retrievers: `classic("chains").create_retrieval_chain`.

    They are in `langchain` 0.3 and in `langchain_classic` since 1.0; where neither is, the test is skipped.
    """
    if not has_classic:
        pytest.skip(f"needs {_CLASSIC}")
    return import_module(f"{_CLASSIC}.{name}")


def agent(model: BaseChatModel, tools: Sequence[BaseTool]) -> Runnable[Any, Any]:
    """Returns an agent made by `create_agent` of langchain 1, or before that by `create_react_agent` of langgraph."""
    if has_create_agent:
        return import_module("langchain.agents").create_agent(model, tools)
    if not has_langgraph:
        pytest.skip("needs langchain >= 1 or langgraph")
    return import_module("langgraph.prebuilt").create_react_agent(model, tools)
