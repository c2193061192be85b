"""Counts terms for the frozen background: `python benchmarks/attribution/background.py [--write]`.

Reads passages of corpora that may be fitted (not RGB, not WiCE), English and Chinese, and keeps a stem or bigram that
at least 5 passages of at least 3 documents hold, so that no row can be put together again.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from corpora import rows

from rag_eval_hooks.attribution import background
from rag_eval_hooks.attribution.evidence import fold_text
from rag_eval_hooks.attribution.terms import SPACELESS_FROM, plain_terms

PER = 10_000
MIN_PASSAGES = 5
MIN_DOCUMENTS = 3
MOST = 6_000
"""Terms of a kind that are kept, the commonest."""
PIECE = 500
"""Characters of a passage of a Chinese web page, which comes in one piece."""
CARD = {
    "what": "In how many of 10,000 passages a term occurs: English stems, Chinese bigrams, as `plain_terms` cuts them.",
    "made_by": "python benchmarks/attribution/background.py --write",
    "kept": f"The {MOST:,} commonest of a kind in at least {MIN_PASSAGES} passages of at least {MIN_DOCUMENTS} "
    "documents; counts are rounded.",
    "data": {
        "QuoteSum dev": "Wikipedia passages, CC BY-SA 4.0",
        "BEGIN": "knowledge sentences of wow and cmu-dog, CC BY 4.0",
        "MTRAG": "contexts of the human evaluation and of mtragun, Apache-2.0",
        "NoMIRACL test en, zh": "Apache-2.0; Wikipedia passages, CC BY-SA",
        "CMRC 2018 dev": "Wikipedia paragraphs, CC BY-SA 4.0",
        "DuReader 2.0 demo (search)": "web pages, Apache-2.0",
    },
    "limits": "English encyclopaedic, conversational and help texts; Chinese encyclopaedic and web texts. Another "
    "language has no common terms here, so each of its terms counts as rare until a rolling background has seen some.",
}
Passages = Iterator[tuple[str, str]]
"""Document and text."""


def english() -> Passages:
    for row in rows("quotesum/dev.jsonl"):
        yield from ((one["title"], one["text"]) for one in row["contexts"])
    for row in rows("begin/begin.jsonl"):
        yield row["knowledge"], row["knowledge"]
    for name in ("human_eval", "mtragun_reference"):
        for row in rows(f"mtrag/{name}.jsonl"):
            yield from ((one["document_id"].partition("-")[0], one["text"]) for one in row["contexts"])
    yield from nomiracl("en")


def chinese() -> Passages:
    yield from nomiracl("zh")
    for row in rows("cmrc2018/dev.jsonl"):
        yield row["id"], row["context"]
    for row in rows("dureader_demo/search.jsonl"):
        for one in row["documents"]:
            text = "\n".join([one["title"], *one["paragraphs"]])
            yield from ((one["title"], text[at : at + PIECE]) for at in range(0, len(text), PIECE))


def nomiracl(language: str) -> Passages:
    for row in rows(f"nomiracl/{language}.jsonl"):
        yield from zip((one.partition("#")[0] for one in row["docids"]), row["contexts"], strict=True)


def count(passages: Passages, *, spaceless: bool) -> tuple[dict[str, int], int]:
    """Returns the terms of one kind that may be kept, by their number in `PER` passages, and how many passages were."""
    counts: Counter[str] = Counter()
    documents: defaultdict[str, set[str]] = defaultdict(set)
    texts = {text: document for document, text in passages}
    for text, document in texts.items():
        folded = fold_text(text).text
        found = {term for term in plain_terms(folded, 0, len(folded)) if (term >= SPACELESS_FROM) == spaceless}
        counts.update(found)
        for term in found:
            documents[term].add(document)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    kept = {
        term: round(PER * number / len(texts))
        for term, number in ranked
        if number >= MIN_PASSAGES and len(documents[term]) >= MIN_DOCUMENTS and number / len(texts) > background.RAREST
    }
    return dict(list(kept.items())[:MOST]), len(texts)


def main() -> None:
    """Counts, prints, and with --write stores the background."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--write", action="store_true", help="write the background into the package")
    write = options.parse_args().write
    words, english_texts = count(english(), spaceless=False)
    bigrams, chinese_texts = count(chinese(), spaceless=True)
    made = background.Background({**words, **bigrams}, words=PER, bigrams=PER)
    print(f"English: {english_texts} passages, {len(words)} stems; Chinese: {chinese_texts}, {len(bigrams)} bigrams")
    counted = {"english_passages": english_texts, "chinese_passages": chinese_texts}
    text = made.to_json({**CARD, **counted, "date": date.today().isoformat()})
    print(f"{len(text.encode()):,} bytes; idf:", {t: round(made.idf(t), 2) for t in ("the", "year", "company", "中国")})
    if write:
        path = Path(background.__file__).with_name("background.json")
        path.write_text(text, "utf-8")
        print(f"written: {path.name}")


if __name__ == "__main__":
    main()
