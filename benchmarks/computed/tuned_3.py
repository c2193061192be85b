"""Templates that the rules for computed numbers were tuned on, set 3."""

import random

from computed.case import Case, Template, amount, de, distinct

__all__ = ["TEMPLATES"]


def plain(value: float, decimals: int = 0) -> str:
    return f"{value:.{decimals}f}"


def passenger_change(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 210, 980)
    verb = "up" if b > a else "down"
    return Case(
        "How did ridership develop?",
        (
            f"Line 4 carried {a} thousand passengers in 2016.",
            f"Line 4 carried {b} thousand passengers in 2017.",
            f"Line 9 carried {c} thousand passengers in 2017. It has 18 stops.",
        ),
        f"Ridership on Line 4 was {verb} {{}} in 2017 compared with 2016.",
        abs(b - a) / a * 100,
        amount(1, after="%"),
        "percentage_change",
        True,
    )


def budget_rows(chance: random.Random) -> Case:
    cells = distinct(chance, 4, 1000, 9800)
    lines = "\n".join(
        f"{name}: {value} EUR" for name, value in zip(("Travel", "Printing", "Catering", "Rent"), cells, strict=True)
    )
    return Case(
        "What was spent on the whole?",
        (f"Expenses of the congress\n{lines}\n", "The congress had 640 guests from 22 countries."),
        "The congress expenses sum to {}.",
        sum(cells),
        amount(after=" EUR", write=plain),
        "sum",
        False,
    )


def two_cells(chance: random.Random) -> Case:
    cells = distinct(chance, 8, 110, 990)
    rows = "\n".join(
        f"| {name} | {a} | {b} |"
        for name, a, b in zip(("Kiwi", "Plum", "Pear", "Fig"), cells[:4], cells[4:], strict=True)
    )
    return Case(
        "How many more plums than figs were sold in June?",
        (f"| Fruit | May | June |\n|---|---|---|\n{rows}\n", "Prices rose on 3 June."),
        "In June, the difference between plums and figs was {}.",
        abs(cells[5] - cells[7]),
        amount(),
        "difference",
        True,
    )


def german_share(chance: random.Random) -> Case:
    whole, part = chance.randint(310, 980), chance.randint(31, 290)
    return Case(
        "Wie hoch ist der Anteil der Frauen?",
        (
            f"Im Verein sind {whole} Mitglieder gemeldet.",
            f"{part} Mitglieder sind Frauen. Der Beitrag beträgt 48 Euro.",
        ),
        "Der Anteil der Frauen an den Mitgliedern beträgt {}.",
        part / whole * 100,
        amount(1, after=" %", write=de),
        "share",
        False,
    )


def german_age(chance: random.Random) -> Case:
    born, years = chance.randint(1703, 1880), chance.randint(22, 91)
    return Case(
        "Wie alt wurde Ilse Brandt?",
        (
            f"Die Malerin Ilse Brandt wurde {born} in Lodau geboren und starb {born + years} in Wien.",
            "Sie malte 212 Bilder.",
        ),
        "Ilse Brandt starb im Alter von {} Jahren.",
        years,
        amount(),
        "date_difference",
        False,
    )


def french_change(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 110, 970)
    verb = "augmenté" if b > a else "baissé"
    return Case(
        "Comment ont évolué les ventes ?",
        (
            f"En 2014, les ventes de vélos étaient de {a} unités.",
            f"En 2015, les ventes de vélos étaient de {b} unités. Le magasin emploie 6 personnes.",
        ),
        f"Les ventes de vélos ont {verb} de {{}} entre 2014 et 2015.",
        abs(b - a) / a * 100,
        amount(1, after=" %", write=de),
        "percentage_change",
        True,
    )


def spanish_average(chance: random.Random) -> Case:
    values = distinct(chance, 4, 12, 96)
    return Case(
        "¿Cuál es el promedio?",
        (
            f"Las cuatro muestras pesan {values[0]}, {values[1]}, {values[2]} y {values[3]} gramos.",
            "El laboratorio abrió en 1994.",
        ),
        "Las muestras pesan en promedio {}.",
        sum(values) / 4,
        amount(1, after=" gramos", write=de),
        "mean",
        False,
    )


def chinese_times(chance: random.Random) -> Case:
    base, factor = chance.randint(12, 80), chance.choice((3, 4, 5, 6))
    return Case(
        "甲楼面积是乙楼的几倍？",
        (f"甲楼面积为{base * factor}平方米。", f"乙楼面积为{base}平方米，建于1988年。"),
        "甲楼面积是乙楼的{}倍。",
        factor,
        amount(),
        "ratio",
        True,
    )


def chinese_share(chance: random.Random) -> Case:
    whole, part = chance.randint(310, 980), chance.randint(31, 290)
    return Case(
        "女生占多少？",
        (f"全校共有学生{whole}人。", f"其中女生{part}人，教师52人。"),
        "女生占全校学生的{}。",
        part / whole * 100,
        amount(1, after="%"),
        "share",
        False,
    )


def chinese_table(chance: random.Random) -> Case:
    cells = distinct(chance, 6, 110, 980)
    rows = "\n".join(
        f"| {name} | {a} | {b} |" for name, a, b in zip(("苹果", "香蕉", "葡萄"), cells[:3], cells[3:], strict=True)
    )
    return Case(
        "2022年三种水果销量合计多少？",
        (f"| 品种 | 2021年 | 2022年 |\n|---|---|---|\n{rows}\n",),
        "2022年各品种销量合计为{}。",
        sum(cells[3:]),
        amount(write=plain),
        "sum",
        False,
    )


def salary(chance: random.Random) -> Case:
    wage = chance.randint(21, 69) * 100 + 50
    return Case(
        "What is the yearly salary?",
        (f"The post pays {wage} dollars per month. There are 28 days of leave.",),
        "The annual salary for the post is {}.",
        wage * 12,
        amount(before="$"),
        "product",
        False,
    )


def each_gets(chance: random.Random) -> Case:
    people, each = chance.randint(6, 29), chance.randint(41, 190)
    return Case(
        "How much does each heir get?",
        (
            f"The estate of {people * each} crowns is split evenly.",
            f"There are {people} heirs. The house dates from 1911.",
        ),
        "Each heir receives {} of the estate.",
        each,
        amount(after=" crowns"),
        "ratio",
        False,
    )


def tip(chance: random.Random) -> Case:
    bill, rate = chance.randint(41, 190) * 2, chance.choice((10, 15, 20))
    return Case(
        "What is the tip?",
        (f"The bill is {bill} dollars. The house adds a tip of {rate} %.", "The table seats 8."),
        "The tip comes to {}.",
        bill * rate / 100,
        amount(2, before="$"),
        "product",
        False,
    )


def reign(chance: random.Random) -> Case:
    start, years = chance.randint(1410, 1690), chance.randint(7, 48)
    return Case(
        "How long did King Osric reign?",
        (
            f"King Osric was crowned in {start}. He ruled until {start + years}, when his nephew took over.",
            "His army counted 4,300 men.",
        ),
        "King Osric reigned for {} years.",
        years,
        amount(),
        "date_difference",
        False,
    )


def speakers(chance: random.Random) -> Case:
    names = chance.sample("Abel Brandt Castro Dietz Egan Fuchs Greco Haas".split(), chance.randint(4, 7))
    lines = "\n".join(f"{number}. {name}" for number, name in enumerate(names, 1))
    return Case(
        "How many speakers are there?",
        (f"Speakers on Friday:\n{lines}\n", "Doors open at 9:30."),
        "On Friday there are {} speakers.",
        len(names),
        amount(),
        "count",
        False,
    )


def rate_points(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 31, 89)
    word = "higher" if b > a else "lower"
    return Case(
        "How do turnout rates compare?",
        (f"Turnout in Eastvale was {a} %.", f"Turnout in Westvale was {b} %, with 12,400 voters."),
        f"Turnout in Westvale was {{}} {word} than in Eastvale.",
        abs(b - a),
        amount(after=" percentage points"),
        "difference",
        True,
    )


def negative_change(chance: random.Random) -> Case:
    a, b, c, d = distinct(chance, 4, 110, 980)
    a, b = max(a, b), min(a, b)
    return Case(
        "What is the change in orders?",
        (f"Month\tOrders\tReturns\nApril\t{a}\t{c}\nMay\t{b}\t{d}\n",),
        "Orders changed by {} from April to May.",
        (b - a) / a * 100,
        amount(1, after=" %"),
        "percentage_change",
        True,
    )


TEMPLATES: tuple[Template, ...] = (
    passenger_change, budget_rows, two_cells, german_share, german_age, french_change, spanish_average, chinese_times,
    chinese_share, chinese_table, salary, each_gets, tip, reign, speakers, rate_points, negative_change,
)  # fmt: skip
