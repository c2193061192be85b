"""How many computed numbers are found, how many wrong ones pass as computed, and how many of those are told right.

Run: python benchmarks/derived.py [--each 8] [--only SET] [--show SET]

True answers are generated from the templates of `computed/`: the rules were tuned on all but those of `held_out.py`,
which were written apart; it says what the first look at them gave. Every answer is judged as it is, then with its
number swapped for one close by (8 to 50 % off) and for another one of the same order of magnitude. Where REH_SHARED
names the folder of the labelled corpora, numbers of real claims and answers are swapped as well, and only measured.
"""

import argparse
import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from attribution.corpora import rows
from computed import changes_and_shares, differences, means_and_counts, products_and_ratios, spelled, sums
from computed.case import Case, Template
from computed.held_out import TEMPLATES as HELD_OUT

from rag_eval_hooks.attribution import attribute
from rag_eval_hooks.record import Claim, Derived
from rag_eval_hooks.testing import make_run

TUNED: tuple[Template, ...] = (
    *changes_and_shares.TEMPLATES,
    *differences.TEMPLATES,
    *means_and_counts.TEMPLATES,
    *products_and_ratios.TEMPLATES,
    *sums.TEMPLATES,
)
NUMBER = re.compile(r"(?<![\w.,])\d{1,9}(?:[.,]\d{1,9})*(?![\w.,]*\w)")
NUMBER_ANYWHERE = re.compile(r"\d{1,9}(?:[.,]\d{1,9})*")
SWAPS = 3
"""Swaps of each kind for one true answer."""


def judged(question: str, contexts: Sequence[str], answer: str) -> tuple[Claim, ...]:
    """Returns the claims of an answer."""
    run = make_run([(f"c{number}", text) for number, text in enumerate(contexts, 1)], question=question, answer=answer)
    return attribute(run).claims


def derivations(claims: Iterable[Claim], written: str) -> list[Derived]:
    """Returns what was derived for the number as written."""
    digits = re.sub(r"\D", "", written)
    return [one for claim in claims for one in claim.derived if re.sub(r"\D", "", one.value) == digits]


def other_number(chance: random.Random, value: float, *, close: bool) -> float:
    """Returns another number: 8 to 50 % off, or any of the same order of magnitude."""
    if close:
        step = max(1.0, abs(value) * chance.uniform(0.08, 0.5)) if value >= 5 else chance.choice((1.0, 2.0, 3.0))
        return value + step * chance.choice((-1, 1)) if value > step else value + step
    order = 10.0 ** (len(str(int(abs(value)))) - 1)
    return chance.uniform(1.0, 9.9) * order


def measure(name: str, templates: Sequence[Template], each: int, show: bool) -> None:
    """Prints the figures of some templates."""
    count: Counter[str] = Counter()
    for template in templates:
        chance = random.Random(template.__name__)
        for _ in range(each):
            case = template(chance)
            _true(template.__name__, case, count, show)
            for close in (True, False):
                for _ in range(SWAPS):
                    _swapped(template.__name__, case, other_number(chance, case.value, close=close), close, count, show)
    true = count["true"]
    print(
        f"\n{name}: {len(templates)} templates, {true} true derivations (and {count['stated']} numbers that fit a text)"
    )
    print(f"  found with value and operation  {count['found'] / true:6.1%}")
    print(f"  claim supported                 {count['supported'] / true:6.1%}")
    print(f"  called wrong                    {count['alarms'] / true:6.1%}")
    for kind in ("close", "same order"):
        swapped = count[f"swapped {kind}"]
        print(f"  swapped, {kind:10}: {swapped} numbers, called derived {count[f'derived {kind}'] / swapped:6.2%}, "
              f"called supported {count[f'supported {kind}'] / swapped:6.2%}")  # fmt: skip
    named = count["named"]
    print(f"  swapped, operation and operands named: {named}, told wrong with the right value "
          f"{count['told'] / named:6.1%}, with another value {count['mistold'] / named:6.2%}")  # fmt: skip


def _true(name: str, case: Case, count: Counter[str], show: bool) -> None:
    written = case.write(case.value)
    claims = judged(case.question, case.contexts, case.said(case.value))
    found = [one for one in derivations(claims, written) if one.right]
    if case.operation == "stated":
        count["stated"] += 1
        return
    count["true"] += 1
    is_found = any(one.operation == case.operation for one in found)
    is_supported = claims[-1].verdict == "supported"
    count["found"] += is_found
    count["supported"] += is_supported
    count["alarms"] += any(not one.right for claim in claims for one in claim.derived)
    if show and not (is_found and is_supported):
        print(
            name,
            "|",
            case.said(case.value),
            "|",
            claims[-1].verdict,
            [(one.formula, one.right) for one in claims[-1].derived],
        )


def _swapped(name: str, case: Case, value: float, close: bool, count: Counter[str], show: bool) -> None:
    written = case.write(value)
    if written == case.write(case.value):
        return
    kind = "close" if close else "same order"
    claims = judged(case.question, case.contexts, case.said(value))
    found = derivations(claims, written)
    count[f"swapped {kind}"] += 1
    wrongly = any(one.right for one in found)
    count[f"derived {kind}"] += wrongly
    count[f"supported {kind}"] += claims[-1].verdict == "supported"
    told = [one for one in found if not one.right]
    if case.names_operands:
        count["named"] += 1
        is_right = any(one.operation == case.operation and _is_close(one.result, case) for one in told)
        count["told"] += is_right
        count["mistold"] += bool(told) and not is_right
        if show and close and not is_right:
            print(name, "  not told |", case.said(value), "|", [(one.formula, one.right) for one in found])
    if show and (wrongly or claims[-1].verdict == "supported"):
        print(
            name, "  swapped |", case.said(value), "|", claims[-1].verdict, [(one.formula, one.right) for one in found]
        )


def _is_close(result: float, case: Case) -> bool:
    return any(
        abs(abs(result) * unit - abs(case.value)) <= 0.001 * abs(case.value) + 0.006
        for unit in (1, 100, 1e-3, 1e-4, 1e-6, 1e-8)
    )


def real_swaps() -> Iterator[tuple[str, str, Sequence[str], str, str]]:
    """Yields corpus, question, contexts, a claim with a false number, and that number."""
    chance = random.Random(7)
    for row in rows("fever_symmetric/dev.jsonl"):
        numbers = NUMBER.findall(row["claim"])
        if row["label"] == "REFUTES":
            for number in numbers:
                yield "fever_symmetric REFUTES", "", [row["evidence"]], row["claim"], number
        for number in numbers:
            for other in _others(chance, number):
                yield "fever_symmetric, swapped", "", [row["evidence"]], row["claim"].replace(number, other), other
    for name in ("rgb/en_fact.jsonl", "rgb/zh_fact.jsonl"):
        for row in rows(name):
            for fake in row["fakeanswer"] if isinstance(row["fakeanswer"], list) else [row["fakeanswer"]]:
                for number in NUMBER_ANYWHERE.findall(str(fake)):
                    yield f"{name} fake answers", row["query"], row["positive"], f"{row['query']} {fake}", number
            for answer in row["answer"] if isinstance(row["answer"], list) else [row["answer"]]:
                for number in NUMBER_ANYWHERE.findall(str(answer)):
                    for other in _others(chance, number):
                        yield (
                            f"{name}, swapped",
                            row["query"],
                            row["positive"],
                            str(answer).replace(number, other),
                            other,
                        )
    for row in rows("quotesum/dev.jsonl"):
        texts = [context["text"] for context in row["contexts"]]
        for number in NUMBER.findall(row["answer"]):
            for other in _others(chance, number):
                yield "quotesum, swapped", row["question"], texts, row["answer"].replace(number, other), other


def _others(chance: random.Random, number: str) -> Iterator[str]:
    plain = number.replace(",", "")
    try:
        value = float(plain)
    except ValueError:
        return
    decimals = len(plain.partition(".")[2])
    for close in (True, False):
        other = other_number(chance, value, close=close)
        written = f"{other:,.{decimals}f}" if "," in number else f"{other:.{decimals}f}"
        if written != number:
            yield written


def measure_real(show: bool) -> None:
    """Prints how many false numbers of real claims pass as computed."""
    total: Counter[str] = Counter()
    derived: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for corpus, question, contexts, claim, number in real_swaps():
        found = derivations(judged(question, contexts, claim), number)
        total[corpus] += 1
        derived[corpus] += any(one.right for one in found)
        told[corpus] += any(not one.right for one in found)
        if show and found:
            print(
                corpus,
                "|",
                claim,
                "|",
                [(one.value, one.formula, one.operation, one.tried, one.right) for one in found],
            )
    print()
    for corpus, swapped in total.items():
        print(f"{corpus:36} {swapped:5} false numbers, called derived {derived[corpus] / swapped:6.2%}, "
              f"told wrong with a right value {told[corpus] / swapped:6.2%}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=8, help="answers of each template")
    parser.add_argument(
        "--show", choices=["tuned", "spelled", "held_out", "real"], help="print what is missed or taken wrongly"
    )
    parser.add_argument("--only", choices=["tuned", "spelled", "held_out", "real"])
    given = parser.parse_args()
    for name, templates in (("tuned", TUNED), ("spelled", spelled.TEMPLATES), ("held_out", HELD_OUT)):
        if given.only in (None, name):
            measure(name, templates, given.each, given.show == name)
    if "REH_SHARED" in os.environ and given.only in (None, "real"):
        measure_real(given.show == "real")


if __name__ == "__main__":
    main()
