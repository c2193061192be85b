"""What frameworks call what the rules have to know: components, exceptions, tags and metadata of their own."""

__all__ = ["FORKS", "INTERRUPTS", "MAPPING", "NOT_ERRORS", "OWN_METADATA", "OWN_TAGS", "PARENT_COMMAND"]

MAPPING = "RunnableEach"
"""Beginning of the name of a root that asks a chain many questions (LangChain). Below a question's root the same
component maps over documents or sub-questions of the one question."""

FORKS = ("RunnableParallel", MAPPING)
"""Beginnings of the names of steps whose branches run side by side (LangChain): none of them works on what another
found."""

INTERRUPTS = frozenset({"GraphInterrupt", "GraphBubbleUp", "NodeInterrupt"})
"""Exceptions with which graphs stop to wait for somebody (LangGraph)."""
PARENT_COMMAND = "ParentCommand"
"""An exception that hands over to the graph around; a `GraphBubbleUp` as well, but no interrupt (LangGraph)."""
NOT_ERRORS = INTERRUPTS | {PARENT_COMMAND, "WorkflowDone"}
"""How frameworks steer; raised as exceptions, but no failures."""

OWN_METADATA = ("ls_", "langgraph_", "lc_", "__", "checkpoint_", "llamaindex.", "rag_eval:")
"""Beginnings of metadata keys that are the framework's own, or ours."""
OWN_TAGS = ("seq:", "map:", "graph:", "retry:", "branch:", "condition:", "langsmith:", "retriever_", "rag_eval:")
"""Beginnings of tags that are the framework's own, or ours."""
