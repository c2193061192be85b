# ruff: noqa: E501  texts stand as one line
"""Templates of claims that spell a computation out: its operands stand in the claim or in the one before it.

The last three are traps: the claim names two numbers and an operation, and means others.
"""

import random

from computed.case import Case, Template, amount, distinct, en

__all__ = ["TEMPLATES"]


def turnover(chance: random.Random) -> Case:
    a, b, c, d = distinct(chance, 4, 110, 990)
    verb, noun = ("grew", "an increase") if b > a else ("fell", "a decrease")
    return Case(
        "How did turnover develop?",
        (f"Ostrava Mills, key figures (EUR million)\n\n| Item | 2020 | 2021 |\n|---|---|---|\n| Turnover | {a} | {b} |\n| Liabilities | {c} | {d} |\n",),
        f"Turnover {verb} from {a} to {b} million euros in 2021, {noun} of {{}}.",
        abs(b - a) / a * 100,
        amount(1, after=" %"),
        "percentage_change",
        True,
    )  # fmt: skip


def leave(chance: random.Random) -> Case:
    base, extra = chance.randint(20, 30), chance.randint(4, 12)
    return Case(
        "How much leave does a clerk get?",
        (f"Leave by grade:\n\nGrade\tBasic leave\tExtra leave\nApprentice\t18 days\t1 days\nClerk\t{base} days\t{extra} days\nForeman\t45 days\t19 days\n",),
        f"A clerk gets {base} days of basic leave plus {extra} days of extra leave. In total that is {{}} per year.",
        base + extra,
        amount(after=" days"),
        "sum",
        True,
    )  # fmt: skip


def scoring(chance: random.Random) -> Case:
    games, mean = chance.randint(22, 38), chance.randint(61, 99)
    return Case(
        "How many points per game?",
        (f"Harbour Hawks, 2016 season\n\n| Games | Wins | Points scored | Fouls |\n|---|---|---|---|\n| {games} | 17 | {en(games * mean)} | 411 |\n",),
        f"In the 2016 season the Hawks scored {en(games * mean)} points in {games} games, an average of {{}} per game.",
        mean,
        amount(after=" points"),
        "ratio",
        True,
    )  # fmt: skip


def generation(chance: random.Random) -> Case:
    parts = distinct(chance, 3, 110, 690)
    return Case(
        "What share came from wind?",
        (f"Generation in 2019\n\nSource\tOutput\nWind\t{parts[0]} GWh\nWater\t{parts[1]} GWh\nGas\t{parts[2]} GWh\nTotal\t{en(sum(parts))} GWh\n",),
        f"In 2019 wind supplied {parts[0]} GWh of a total of {en(sum(parts))} GWh, a share of {{}}.",
        parts[0] / sum(parts) * 100,
        amount(1, after=" %"),
        "share",
        True,
    )  # fmt: skip


def batch(chance: random.Random) -> Case:
    flour, sugar = distinct(chance, 2, 130, 690)
    return Case(
        "How much flour for a double batch?",
        (f"Nut bread (one batch, 2 loaves)\n\nFlour: {flour} grams\nSugar: {sugar} grams\nButter: 75 grams\n",),
        f"One batch takes {flour} grams of flour, so a double batch takes twice as much, {{}}.",
        2 * flour,
        amount(after=" grams"),
        "product",
        True,
    )


def comet(chance: random.Random) -> Case:
    first = chance.randint(1780, 1840)
    years = chance.randint(31, 99)
    return Case(
        "How many years passed?",
        (f"The observatory was founded in {first} by a rich widow.", f"In the autumn of {first + years} an assistant found the comet on a plate exposed for 40 minutes."),
        f"The observatory was founded in {first}. The comet was found in {first + years} on a plate exposed for 40 minutes, which is {{}} later.",
        years,
        amount(after=" years"),
        "date_difference",
        True,
    )  # fmt: skip


def density(chance: random.Random) -> Case:
    area, per = chance.randint(71, 290), chance.randint(21, 88)
    return Case(
        "How dense is the population of Brell?",
        (f"Islands of the county\n\n| Island | Area in square kilometres | Inhabitants |\n|---|---|---|\n| Brell | {area} | {en(area * per)} |\n| Ulva | 64 | 1,306 |\n",),
        f"The census counted {en(area * per)} inhabitants on Brell's {area} square kilometres. This gives a density of {{}} per square kilometre.",
        per,
        amount(after=" inhabitants"),
        "ratio",
        True,
    )  # fmt: skip


def subsidy(chance: random.Random) -> Case:
    rate, size = chance.randint(11, 39) * 10, chance.randint(5, 14)
    return Case(
        f"What is the subsidy for {size} kilowatts?",
        (f"The town pays 20 dollars per tree and {rate} dollars per kilowatt of installed power.", f"A typical system of {size} kilowatts fits on a roof of 60 square metres."),
        f"The town pays {rate} dollars per kilowatt of installed power, which amounts to {{}} for {size} kilowatts.",
        rate * size,
        amount(after=" dollars"),
        "product",
        True,
    )  # fmt: skip


def quarry(chance: random.Random) -> Case:
    rate, years = chance.randint(3, 9), chance.randint(11, 39)
    return Case(
        "How long will the slate last?",
        (f"The survey of 2015 put the reserves of the quarry at {rate * years} million tonnes.", f"At present the quarry extracts {rate} million tonnes per year with 48 workers."),
        f"The reserves of the quarry are {rate * years} million tonnes. With {rate} million tonnes extracted per year, the slate will last for {{}}.",
        years,
        amount(after=" years"),
        "ratio",
        True,
    )  # fmt: skip


def umsatz(chance: random.Random) -> Case:
    a, b, c, d = distinct(chance, 4, 110, 990)
    verb, noun = ("stieg", "ein Zuwachs") if b > a else ("sank", "ein Rückgang")
    return Case(
        "Wie hat sich der Umsatz entwickelt?",
        (f"Kennzahlen\n\n| Kennzahl | 2016 | 2017 |\n|---|---|---|\n| Umsatz in Millionen Euro | {a} | {b} |\n| Mitarbeiter | {c} | {d} |\n",),
        f"Der Umsatz {verb} von {a} Millionen Euro im Jahr 2016 auf {b} Millionen Euro im Jahr 2017, {noun} von {{}}.",
        abs(b - a) / a * 100,
        amount(after=" %"),
        "percentage_change",
        True,
    )  # fmt: skip


def ventas(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 110, 490)
    return Case(
        "¿Qué porcentaje correspondió a la exportación?",
        (f"Ventas en 2018\n\n| Destino | Ventas en millones de pesos |\n|---|---|\n| Mercado nacional | {a} |\n| Exportación | {b} |\n| Total | {a + b} |\n",),
        f"En 2018 la exportación sumó {b} millones de pesos de un total de {a + b} millones, es decir, una cuota del {{}}.",
        b / (a + b) * 100,
        amount(after=" %"),
        "share",
        True,
    )  # fmt: skip


def yingshou(chance: random.Random) -> Case:
    a, b, c, d = distinct(chance, 4, 1100, 9900)
    verb, noun = ("增至", "增幅") if b > a else ("降至", "降幅")
    return Case(
        "公司营业收入变化多少？",
        (
            f"主要财务数据（单位：万元）\n\n| 项目 | 2020年 | 2021年 |\n|---|---|---|\n| 营业收入 | {a} | {b} |\n| 研发费用 | {c} | {d} |\n",
        ),
        f"营业收入由2020年的{a}万元{verb}2021年的{b}万元，{noun}为{{}}。",
        abs(b - a) / a * 100,
        amount(1, after="%"),
        "percentage_change",
        True,
    )


def four_regions(chance: random.Random) -> Case:
    cells = distinct(chance, 4, 110, 990)
    rows = "\n".join(
        f"| {name} | {cell} |" for name, cell in zip(("North", "South", "East", "West"), cells, strict=True)
    )
    return Case(
        "What were total sales?",
        (f"| Region | Sales |\n|---|---|\n{rows}\n",),
        f"With {cells[0]} units in the North and {cells[1]} in the South, total sales of all regions were {{}} units.",
        sum(cells),
        amount(),
        "sum",
        False,
    )  # fmt: skip


def profit_as_well(chance: random.Random) -> Case:
    a, b, c, d = sorted(distinct(chance, 4, 110, 990))
    return Case(
        "How did the company develop?",
        (f"| Item | 2020 | 2021 |\n|---|---|---|\n| Revenue | {c} | {d} |\n| Profit | {a} | {b} |\n",),
        f"Revenue rose from {c} in 2020 to {d} in 2021, while profit grew by {{}}.",
        (b - a) / a * 100,
        amount(1, after=" %"),
        "percentage_change",
        False,
    )


def cost_share(chance: random.Random) -> Case:
    a, b, c, d = sorted(distinct(chance, 4, 110, 990))
    return Case(
        "What was the share of costs in 2021?",
        (f"| Item | 2020 | 2021 |\n|---|---|---|\n| Revenue | {c} | {d} |\n| Costs | {a} | {b} |\n",),
        f"Revenue went from {c} in 2020 to {d} in 2021, and the share of costs in revenue was {{}} in 2021.",
        b / d * 100,
        amount(1, after=" %"),
        "share",
        False,
    )


TEMPLATES: tuple[Template, ...] = (
    turnover, leave, scoring, generation, batch, comet, density, subsidy, quarry, umsatz, ventas, yingshou, four_regions,
    profit_as_well, cost_share,
)  # fmt: skip
