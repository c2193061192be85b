"""Which stage is to blame (being built)."""

from rag_eval_hooks.record import Attribution, Finding, RagRun

__all__ = ["diagnose"]


def diagnose(run: RagRun, attribution: Attribution) -> tuple[Finding, ...]:
    """Returns what went wrong and where, most certain first."""
    return ()
