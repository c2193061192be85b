"""Measures how long it takes to find the citation marks of an answer of 1 MB, and how that grows with its length.

    python benchmarks/citation_parsing.py

Prints, for each kind of answer, the median and the best time for 1,000,000 characters, and the slope of the best times
over the length in a log-log plot: 1 is linear. The kinds take turns, so that a busy machine slows them all.
An answer of many marks is read to its mark 2,000 and no further, so for those the slope lies far below 1.
"""

import gc
import math
import time
from statistics import median

from rag_eval_hooks.attribution.citations.sources import Sources
from rag_eval_hooks.attribution.marks import find_marks
from rag_eval_hooks.record import Chunk

SIZES = (125_000, 250_000, 500_000, 1_000_000)
REPEATS = 7
PROSE = (
    "The lobby of the house opens at seven in the morning, and the pool (behind the garden) opens two hours later; a "
    "source of warm water was found in 1987. According to the document that the owners signed, nobody may swim alone, "
    "“not even once”, unless a guard is there.\nChildren under 12 pay 4.50 a day. "
)
KINDS = {
    "prose": PROSE,
    "prose, a mark in 10,000 characters": PROSE * 36 + "It opens at 7:00 [1]. ",
    "prose in Chinese": "大堂早上七点开门，泳池（在花园后面）晚两个小时开门；一九八七年"
    "发现了温泉的来源。业主签署的文件说，任何人不得独自游泳。\n",
    "dense marks": "It opens [1], [2-3] (4) 【5†source】 and Source 6.¹ ",
    "marks of all habits, in code": "`[1]` `[2]` `<cite>3</cite>` `Source 4` `【5】` ",
    "opening brackets": "[",
    "opening round brackets": "(",
    "nested brackets": "[[1",
    "brackets with words": "[a b] (c d) ",
    "links to nowhere": "[a](http://b.c/",
    "numbers in links to nowhere": "[1](http://",
    "ranges without an end": "[1-2,",
    "tags": "<cite>",
    "tags of nothing": "<cite><b></cite>",
    "quotation marks": '"a ',
    "raised numbers": "m² x³ ",
    "heads of source lists": "\nSources: [",
    "footnotes": "\n[^1]:",
    "words for sources": "source document ",
    "addresses": "https://b.c/d ",
    "ids in longer words": "c1-doc rules.pdfx ",
    "blank lines": "\n \n",
}


def main() -> None:
    """Prints one line a kind."""
    context = [
        Chunk(
            id=f"c{rank}", text=PROSE, metadata={"source": f"rules_{rank}.pdf", "author": f"Smith {rank}", "year": 2020}
        )
        for rank in range(1, 11)
    ]
    sources = Sources(context)
    texts = {name: {size: (piece * (size // len(piece) + 1))[:size] for size in SIZES} for name, piece in KINDS.items()}
    took: dict[str, dict[int, list[float]]] = {name: {size: [] for size in SIZES} for name in KINDS}
    found = {name: len(find_marks(by_size[SIZES[-1]], sources)) for name, by_size in texts.items()}
    for _ in range(REPEATS):
        for name, by_size in texts.items():
            for size, text in by_size.items():
                gc.collect()
                start = time.perf_counter()
                find_marks(text, sources)
                took[name][size].append(1_000 * (time.perf_counter() - start))
    print(f"{'answer of 1,000,000 characters':<38} {'median ms':>9} {'best ms':>8} {'slope':>6} {'marks':>6}")
    for name, times in took.items():
        print(
            f"{name:<38} {median(times[SIZES[-1]]):9.1f} {min(times[SIZES[-1]]):8.1f} "
            f"{_slope({size: min(one) for size, one in times.items()}):6.2f} {found[name]:6}"
        )


def _slope(times: dict[int, float]) -> float:
    """Returns the slope of the line that fits the logarithms best."""
    points = [(math.log(size), math.log(took)) for size, took in times.items()]
    middle = sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
    over = sum((x - middle[0]) * (y - middle[1]) for x, y in points)
    return over / sum((x - middle[0]) ** 2 for x, _ in points)


if __name__ == "__main__":
    main()
