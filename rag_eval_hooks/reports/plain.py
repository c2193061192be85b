"""Makes untrusted text fit to be printed on a terminal or into a log line."""

import re

from rag_eval_hooks.record.clean import clean_text

__all__ = ["one_line", "plain"]

# Escape sequences go as a whole, or their parameters would stay behind as litter: CSI (colours, cursor), OSC and the
# other strings (window title, links, clipboard; of one that never ends only the start goes, so that no text is hidden),
# then two-character escapes. A repeat never runs past the next start, so matching is linear.
_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\x9d\x90\x98\x9e\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]?"
)
# C0 without tab and newline, DEL and C1; bidi marks, embeddings, overrides and isolates; the line and paragraph
# separators, which some terminals take as a new line; interlinear marks, BOM, and tag characters (invisible text).
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def plain(text: str) -> str:
    r"""Returns `text` without what steers a terminal: escape sequences, control characters, bidi overrides.

    Newlines and tabs stay, `\r\n` becomes `\n`, and lone surrogates become U+FFFD so that the text can be encoded.

    >>> plain("\x1b[31mred\x1b[0m \x1b]0;title\x07ok\u202e\x00\n")
    'red ok\n'
    """
    text = _SEQUENCES.sub("", text.replace("\r\n", "\n"))
    return str(clean_text(_CONTROLS.sub("", text)))


def one_line(text: str, limit: int = 80) -> str:
    r"""Returns `text` as one printable line of at most `limit` characters, with an ellipsis where it was cut.

    >>> one_line("a\n\tb  c"), one_line("abcdef", limit=4)
    ('a b c', 'abc…')
    """
    # Cut before cleaning too: the text may be as large as a whole log line.
    short = " ".join(plain(text[: limit * 8]).split())
    if len(short) > limit:
        return short[: limit - 1] + "…"
    return short + "…" if len(text) > limit * 8 and len(short) < limit else short
