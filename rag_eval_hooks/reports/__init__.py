"""Shows runs to people: one HTML page for many runs, and the terminal for one."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag_eval_hooks.reports.page import write_report

__all__ = ["write_report"]


def __getattr__(name: str) -> Any:
    """Imports the page on first use, so that `reports.plain` costs no template engine."""
    if name == "write_report":
        from rag_eval_hooks.reports.page import write_report

        return write_report
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
