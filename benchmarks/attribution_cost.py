"""What attribution costs on one core: `python benchmarks/attribution_cost.py`.

Every run has other invented texts: words by Zipf's law from a vocabulary of several thousand, about four numerals a
kilobyte, names, answers that half repeat two of the chunks. So nothing is measured that only a repeated text would
give; what stays warm between runs (stems of common words) stays warm in a service, too.

Prints the time of `attribute(run)` alone (p50 and p95, wall and CPU), then where it goes, then how it grows.
"""

import gc
import math
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

from rag_eval_hooks import RagRun, read_run
from rag_eval_hooks.attribution import attribute
from rag_eval_hooks.attribution.anchors import find_anchors
from rag_eval_hooks.attribution.claims import split_statements
from rag_eval_hooks.attribution.evidence import Evidence, fold_text
from rag_eval_hooks.attribution.marks import find_marks
from rag_eval_hooks.attribution.sentences import sentence_bounds
from rag_eval_hooks.attribution.terms import terms
from rag_eval_hooks.attribution.vocabulary import Vocabulary

RUNS = 400
WARM_UP = 100
WORDS = 8_000
TOKENS_TO_WORDS = 0.75
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
COMMON = (
    "the of and a to in is was for on with as by at from that it be are were this which an or its has had not also "
    "their have after two new more between into than first one can may other during all over such"
).split()
MONTHS = ("January", "March", "May", "July", "October", "December")
UNITS = ("percent", "million", "km", "days", "euros", "kg", "years", "units")


class English:
    """Sentences of invented English: common words first, then words of syllables with English endings."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        made: dict[str, None] = dict.fromkeys(COMMON)
        while len(made) < WORDS:
            made.setdefault(self._word(), None)
        self._words = list(made)
        self._weights = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))

    def sentence(self) -> str:
        """Returns one sentence of 8 to 24 words."""
        words = self._chance.choices(self._words, cum_weights=self._weights, k=self._chance.randint(8, 24))
        for place, word in enumerate(words):
            if len(word) > 5 and self._chance.random() < 0.08:
                words[place] = word.capitalize()
        words[0] = words[0].capitalize()
        if self._chance.random() < 0.3:
            words.insert(self._chance.randint(1, len(words)), self._value())
        return " ".join(words) + "."

    def reword(self, sentence: str) -> str:
        """Returns a sentence with a quarter of its words replaced."""
        words = sentence.rstrip(".").split()
        fresh = self._chance.choices(self._words, cum_weights=self._weights, k=len(words))
        kept = [new if self._chance.random() < 0.25 else old for old, new in zip(words, fresh, strict=True)]
        return " ".join(kept).capitalize() + "."

    def join(self, sentences: Sequence[str]) -> str:
        """Returns a text of paragraphs."""
        return "\n\n".join(" ".join(sentences[at : at + 5]) for at in range(0, len(sentences), 5))

    def _word(self) -> str:
        syllables = [
            self._chance.choice(("b", "br", "c", "d", "f", "g", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "v"))
            + self._chance.choice(("a", "e", "i", "o", "u", "ai", "ea"))
            for _ in range(self._chance.randint(1, 3))
        ]
        return "".join(syllables) + self._chance.choice(("", "n", "r", "l", "t", "s", "ed", "ing", "er", "tion", "ly"))

    def _value(self) -> str:
        number = self._chance.choice(
            (str(self._chance.randint(2, 99)), f"{self._chance.randint(1, 99)},{self._chance.randint(100, 999)}")
        )
        return self._chance.choice(
            (
                f"{number} {self._chance.choice(UNITS)}",
                f"{self._chance.randint(1, 28)} {self._chance.choice(MONTHS)} {self._chance.randint(1900, 2025)}",
                f"in {self._chance.randint(1900, 2025)}",
                f"{self._chance.randint(1, 99)}.{self._chance.randint(1, 9)}%",
            )
        )


class Chinese:
    """Sentences of invented Chinese: words of two characters with function characters between."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        made: dict[str, None] = dict.fromkeys("的了在是和有为不")
        while len(made) < WORDS:
            made.setdefault("".join(chr(0x4E00 + int(chance.betavariate(1, 3) * 6_000)) for _ in range(2)), None)
        self._words = list(made)
        self._weights = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))

    def sentence(self) -> str:
        """Returns one sentence of 8 to 20 words."""
        words = self._chance.choices(self._words, cum_weights=self._weights, k=self._chance.randint(8, 20))
        if self._chance.random() < 0.15:
            value = self._chance.choice(("{}年", "{}%", "{}万元", "{}公里", "第{}位"))
            words.insert(self._chance.randint(1, len(words)), value.format(self._chance.randint(2, 2_500)))
        if self._chance.random() < 0.4:
            words.insert(len(words) // 2, "，")
        return "".join(words) + "。"

    def reword(self, sentence: str) -> str:
        """Returns a sentence with a quarter of its characters replaced."""
        fresh = "".join(self._chance.choices(self._words, cum_weights=self._weights, k=len(sentence)))
        kept = [new if self._chance.random() < 0.25 else old for old, new in zip(sentence, fresh, strict=False)]
        return "".join(kept).rstrip("。") + "。"

    def join(self, sentences: Sequence[str]) -> str:
        """Returns a text of paragraphs."""
        return "\n".join("".join(sentences[at : at + 5]) for at in range(0, len(sentences), 5))


Language = English | Chinese


def main() -> None:
    """Prints the figures."""
    chance = random.Random(4)
    english, chinese = English(chance), Chinese(chance)
    shapes: tuple[tuple[str, Language, int, int, int], ...] = (
        # about 5.3 characters a token of English prose, 1.3 of Chinese, 300 tokens a chunk
        ("en: 5 chunks of 300 tokens, 3-sentence answer", english, 5, int(300 * TOKENS_TO_WORDS * 6.2), 3),
        ("en: 10 chunks of 1 kB, 5-sentence answer", english, 10, 1_000, 5),
        ("zh: 5 chunks of 300 tokens, 3-sentence answer", chinese, 5, 400, 3),
        ("zh: 10 chunks of 1 kB, 5-sentence answer", chinese, 10, 340, 5),
        ("zh: 10 chunks of 1,000 characters, 5-sentence answer", chinese, 10, 1_000, 5),
    )
    print(f"attribute(run), {RUNS} runs of different texts, ms{'':22}    p50    p95  CPU p50")
    for name, language, chunks, size, sentences in shapes:
        runs = [invent(language, chance, chunks, size, sentences) for _ in range(RUNS + WARM_UP)]
        walls, cpus = cost(runs)
        print(f"  {name:62} {quantile(walls, 0.5):6.2f} {quantile(walls, 0.95):6.2f}   {quantile(cpus, 0.5):6.2f}")
    for name, language, chunks, size, sentences in shapes:
        print(f"\nwhere it goes, {name}, median ms")
        runs = [invent(language, chance, chunks, size, sentences) for _ in range(RUNS)]
        for stage, value in breakdown(runs):
            print(f"  {stage:62} {value:6.3f}")
    for language_name, language in (("en", english), ("zh", chinese)):
        growth(language_name, language, chance)


def invent(language: Language, chance: random.Random, chunks: int, size: int, sentences: int, last: str = "") -> RagRun:
    """Returns a run whose answer rewords sentences of its first two chunks, each with a citation mark.

    About six in ten of these answers state a value; only then the values of all chunks are looked up. `last` is one
    more sentence of the answer.
    """
    texts, parts = [], []
    for _ in range(chunks):
        told = [language.sentence()]
        while sum(map(len, told)) < size:
            told.append(language.sentence())
        parts.append(told)
        texts.append(language.join(told)[:size])
    said = [
        f"{language.reword(chance.choice(parts[number % min(2, chunks)]))[:-1]} [{number % min(2, chunks) + 1}]."
        for number in range(sentences)
    ]
    question = language.reword(parts[0][0])[:-1] + "?"
    contexts = [{"id": f"c{number}", "text": text} for number, text in enumerate(texts, 1)]
    return read_run({"question": question, "contexts": contexts, "answer": " ".join([*said, last])})


def cost(runs: Sequence[RagRun]) -> tuple[list[float], list[float]]:
    """Returns wall and CPU milliseconds of each run after the first `WARM_UP`."""
    walls, cpus = [], []
    gc.collect()
    for number, run in enumerate(runs):
        wall, cpu = time.perf_counter(), time.thread_time()
        attribute(run)
        cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
        if number >= WARM_UP:
            walls.append(1e3 * wall)
            cpus.append(1e3 * cpu)
    return walls, cpus


def breakdown(runs: Sequence[RagRun]) -> list[tuple[str, float]]:
    """Returns the median time of each stage, called alone on the same runs; judging is what remains of the whole."""
    taken: dict[str, list[float]] = {}
    for run in runs:
        for stage, value in stages(run):
            taken.setdefault(stage, []).append(value)
    medians = {stage: statistics.median(values) for stage, values in taken.items()}
    whole = medians.pop("all")
    parts = (
        "marks",
        "claims",
        "fold",
        "index: sentences and terms",
        "index: anchors of all text, for answers with values",
    )
    rest = whole - sum(medians[stage] for stage in parts)
    return [*medians.items(), ("judging, citations, verdicts (the rest)", rest), ("all", whole)]


def stages(run: RagRun) -> Iterator[tuple[str, float]]:
    """Yields the milliseconds of each stage."""

    def timed(work: Callable[[], Any]) -> tuple[float, Any]:
        begin = time.perf_counter()
        found = work()
        return 1e3 * (time.perf_counter() - begin), found

    answer, texts = run.judged_answer, [chunk.text for chunk in run.context_chunks()]
    yield "all", timed(lambda: attribute(run))[0]
    took, marks = timed(lambda: find_marks(answer, len(texts)))
    yield "marks", took
    yield "claims", timed(lambda: split_statements(answer, marks))[0]
    took, forms = timed(lambda: [fold_text(text) for text in texts])
    yield "fold", took
    vocabulary = {term for term, _, _ in terms(fold_text(answer).text)}
    yield "index: sentences and terms", timed(lambda: Evidence(forms, texts, vocabulary))[0]
    bounds = [sentence_bounds(form, text) for form, text in zip(forms, texts, strict=True)]
    yield (
        "  of it sentence bounds",
        timed(lambda: [sentence_bounds(form, text) for form, text in zip(forms, texts, strict=True)])[0],
    )
    lookup = Vocabulary(vocabulary)
    yield (
        "  of it terms",
        timed(lambda: [list(lookup.find(form.text, spans)) for form, spans in zip(forms, bounds, strict=True)])[0],
    )
    yield (
        "index: anchors of all text, for answers with values",
        timed(lambda: [find_anchors(form.text) for form in forms])[0],
    )


def growth(name: str, language: Language, chance: random.Random) -> None:
    """Prints the time by total text, and the slope of its logarithm."""
    print(f"\ngrowth with total text, {name}, 5 chunks, 3-sentence answer with a value")
    points = []
    for size in SIZES:
        runs = [
            invent(language, chance, 5, size // 5, 2, last="It took 17 days.")
            for _ in range(3 if size >= 300_000 else 15)
        ]
        attribute(runs[0])
        best = statistics.median(min(_once(run), _once(run)) for run in runs)
        points.append((math.log(size), math.log(best)))
        print(f"  {size:>9,} characters {1e3 * best:10.2f} ms")
    slope = statistics.linear_regression([x for x, _ in points], [y for _, y in points]).slope
    steepest = max((b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points))
    print(f"  log-log slope {slope:.2f} (steepest step {steepest:.2f})")


def _once(run: RagRun) -> float:
    begin = time.perf_counter()
    attribute(run)
    return time.perf_counter() - begin


def quantile(values: Sequence[float], share: float) -> float:
    """Returns a quantile by rank."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


if __name__ == "__main__":
    main()
