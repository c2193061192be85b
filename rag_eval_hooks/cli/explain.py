"""`rag-eval-hooks explain`: the story of one run in plain sentences."""

from rag_eval_hooks.cli.one_run import RunId, Source, one_run

__all__ = ["explain"]


def explain(source: Source, run_id: RunId = None) -> None:
    """Tell in plain sentences what happened to one run, and what failed first.

    What was asked, came back, reached the prompt, was used and said; then the first cause, why, what to do about it,
    and which other findings follow from it.

    \b
    Examples:
      rag-eval-hooks explain runs.db
      rag-eval-hooks explain log.jsonl r17
      rag-eval-hooks show runs.db --list
    """
    from rich.console import Console

    from rag_eval_hooks.reports.terminal import print_story

    print_story(Console(), *one_run(source, run_id))
