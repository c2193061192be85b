"""How summaries are written: numbers with their intervals, and Markdown in which no text can become markup."""

import re
from collections.abc import Iterable, Mapping, Sequence

from rag_eval_hooks.reports.plain import one_line
from rag_eval_hooks.reports.words import as_number, reason_words
from rag_eval_hooks.summary.models import Interval

__all__ = ["as_interval", "as_p", "as_share", "escaped", "gaps", "markdown_table"]

# Besides markup: what turns bare text into links (`://`, `www.`, `@`), emoji (`:x:`) or formulas (`$`) on some sites.
SPECIAL = re.compile(r"([\\`*_\[\]#|~$]|@(?=[a-z])|:(?=\S)|(?<=www)\.)", re.IGNORECASE)
SIDES = {"a": "A", "b": "B", "both": "both"}
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escaped(text: str, limit: int = 200) -> str:
    r"""Returns untrusted text for a line or table cell of Markdown: one line, each character shown as itself.

    >>> escaped("<b>|*x*"), escaped("see http://x.y")
    ('&lt;b&gt;\\|\\*x\\*', 'see http\\://x.y')
    """
    return SPECIAL.sub(r"\\\1", one_line(text, limit)).translate(ENTITIES)


def as_interval(interval: Interval) -> str:
    """Returns an interval in brackets, or why there is none.

    >>> as_interval(Interval(low=0.25, high=0.5, method="bca"))
    '[0.25, 0.5]'
    >>> as_interval(Interval(low=None, high=None, method=None, reason="too_few"))
    'no interval: too few'
    """
    if interval.low is None or interval.high is None:
        return f"no interval: {(interval.reason or 'no_values').replace('_', ' ')}"
    return f"[{_rounded(interval.low)}, {_rounded(interval.high)}]"


def as_p(p_value: float | None) -> str:
    """Returns a p value; never 0.

    >>> as_p(0.04321), as_p(0.00001), as_p(None)
    ('0.043', '<0.001', 'n/a')
    """
    return "n/a" if p_value is None else "<0.001" if p_value < 0.001 else f"{p_value:.3f}"


def as_share(share: float | None) -> str:
    """Returns a share in percent, never a false 0 or 100.

    >>> as_share(0.5), as_share(0.0), as_share(0.0001), as_share(0.9999), as_share(None)
    ('50 %', '0 %', '<1 %', '>99 %', 'n/a')
    """
    if share is None:
        return "n/a"
    text = f"{100 * share:.0f}"
    if (text == "0") != (share == 0):
        return "<1 %"
    return ">99 %" if text == "100" and share < 1 else f"{text} %"


def gaps(not_scored: Mapping[str, int], failed: int = 0) -> str:
    """Returns the runs, or pairs of runs, without a value by reason, in words.

    >>> gaps({"refusal": 2, "no_gold": 1}, 1), gaps({})
    ('2 × the answer declines to answer; 1 × no gold labels were given; 1 × the measure failed', 'none')
    >>> gaps({"a:no_gold+b:no_answer": 1, "both:refusal": 2})
    '1 × A: no gold labels were given, B: there is no answer; 2 × both: the answer declines to answer'
    """
    parts = [f"{count:,} × {_reason(reason)}" for reason, count in not_scored.items()]
    return "; ".join([*parts, *([f"{failed:,} × the measure failed"] if failed else [])]) or "none"


def _reason(reason: str) -> str:
    """The words of a reason, which a comparison says of one side, of each, or of both."""
    said = []
    for one in re.split(r"\+(?=b:)", reason):
        side, _, why = one.partition(":")
        said.append(f"{SIDES[side]}: {reason_words(why)}" if side in SIDES else reason_words(one))
    return one_line(", ".join(said), 200)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = ()) -> str:
    """Returns a Markdown table; cells are taken as they are, so escape what is not yours.

    Args:
        header: The column titles.
        rows: The cells.
        numbers: Which columns to align to the right, from 0.
    """
    rule = ["---:" if column in numbers else "---" for column in range(len(header))]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in (header, rule, *rows))


def _rounded(value: float) -> str:
    return as_number(round(value, 3)) if round(value, 3) else as_number(value)
