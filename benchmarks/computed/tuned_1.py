# ruff: noqa: E501  texts stand as one line
"""Templates that the rules for computed numbers were tuned on, set 1."""

import random

from computed.case import Case, Template, amount, de, distinct, en

__all__ = ["TEMPLATES"]


def table_change(chance: random.Random) -> Case:
    a, b, c, d, e, f = distinct(chance, 6, 100, 990)
    table = f"Shipments by depot (crates)\n| Depot | 2021 | 2022 |\n|---|---|---|\n| Harrow | {a} | {b} |\n| Ludley | {c} | {d} |\n| Marsk | {e} | {f} |\n"
    word = "rose" if b > a else "fell"
    return Case(
        "How did shipments at Harrow change?",
        (table, "The Harrow depot employs 31 people and has 12 docks."),
        f"Between 2021 and 2022, shipments at the Harrow depot {word} by {{}}.",
        abs(b - a) / a * 100,
        amount(1, after=" %"),
        "percentage_change",
        True,
    )


def prose_sum(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 1000, 9000)
    return Case(
        "How many visitors did the two museums have?",
        (
            f"The rail museum counted {en(a)} visitors in May. The glass museum counted {en(b)} visitors in May.",
            f"The zoo counted {en(c)} visitors in May and has 14 keepers.",
        ),
        "Together, the rail museum and the glass museum had {} visitors in May.",
        a + b,
        amount(),
        "sum",
        True,
    )


def german_sum(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 1000, 9000)
    return Case(
        "Wie viele Tonnen schlugen beide Häfen um?",
        (
            f"Der Nordhafen schlug im Mai {de(a)} Tonnen um, der Südhafen {de(b)} Tonnen.",
            f"Der Osthafen schlug {de(c)} Tonnen um und hat 7 Kräne.",
        ),
        "Zusammen schlugen Nordhafen und Südhafen {} um.",
        a + b,
        amount(after=" Tonnen", write=de),
        "sum",
        True,
    )


def chinese_growth(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 100, 900)
    word = "增长" if b > a else "下降"
    return Case(
        "青禾公司2021年营收变化多少？",
        (
            f"青禾公司2020年营收为{a}万元，员工85人。",
            f"青禾公司2021年营收为{b}万元。",
            f"蓝石公司2021年营收为{c}万元。",
        ),
        f"青禾公司2021年营收同比{word}{{}}。",
        abs(b - a) / a * 100,
        amount(1, after="%"),
        "percentage_change",
        True,
    )


def chinese_total(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 100, 900)
    return Case(
        "三个仓库一共有多少箱？",
        (f"东仓库存有{a}箱，西仓库存有{b}箱，南仓库存有{c}箱。", "仓库于2015年建成，共有9名保安。"),
        "三个仓库总计存有{}箱。",
        a + b + c,
        amount(write=lambda value, _: f"{value:.0f}"),
        "sum",
        False,
    )


def mean_of_list(chance: random.Random) -> Case:
    values = distinct(chance, 5, 10, 90)
    mean = sum(values) / 5
    text = ", ".join(map(str, values[:4])) + f" and {values[4]}"
    return Case(
        "What was the average score?",
        (f"The five test scores were {text} points.", "The test took 40 minutes and was taken by 230 pupils."),
        "On average, the test score was {} points.",
        mean,
        amount(1),
        "mean",
        False,
    )


def per_capita(chance: random.Random) -> Case:
    people = chance.randint(20, 90) * 1000
    money = chance.randint(11, 95) * 100
    return Case(
        "What is the GDP per capita?",
        (
            f"Velmark has {en(people)} inhabitants and 3 airports.",
            f"The GDP of Velmark is {money / 1000:.1f} billion dollars.",
        ),
        "The GDP per capita of Velmark is about {}.",
        money * 1e6 / people,
        amount(after=" dollars"),
        "ratio",
        False,
    )


def discount(chance: random.Random) -> Case:
    price, rate = chance.randint(20, 400) * 10, chance.randint(2, 9)
    return Case(
        "What do I pay with the cash discount?",
        (
            f"The list price of the pump is {en(price)} euros. For payment within 10 days, a cash discount of {rate} % is granted.",
            "The pump weighs 48 kg and has a warranty of 3 years.",
        ),
        "With the cash discount, the pump costs {}.",
        price * (1 - rate / 100),
        amount(2, after=" euros"),
        "product",
        True,
    )


def vat(chance: random.Random) -> Case:
    price, rate = chance.randint(20, 400) * 10, chance.choice((7, 19, 21, 25))
    return Case(
        "Wie hoch ist der Bruttopreis?",
        (
            f"Der Nettopreis beträgt {de(price)} Euro. Es gilt ein Mehrwertsteuersatz von {rate} %.",
            "Die Lieferung dauert 6 Tage.",
        ),
        "Inklusive Mehrwertsteuer beträgt der Preis {}.",
        price * (1 + rate / 100),
        amount(2, after=" Euro", write=de),
        "product",
        True,
    )


def points(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 10, 70)
    word = "rose" if b > a else "fell"
    return Case(
        "How did the share change?",
        (f"In 2015, {a} % of the homes were heated with wood. In 2019 it was {b} %.", "The town has 4,210 homes."),
        f"From 2015 to 2019, the share {word} by {{}}.",
        abs(b - a),
        amount(after=" percentage points"),
        "difference",
        True,
    )


def times_as_many(chance: random.Random) -> Case:
    base, factor = chance.randint(21, 90), chance.choice((3, 4, 5, 6))
    return Case(
        "How do the towers compare?",
        (f"The radio tower is {base * factor} m tall.", f"The chapel is {base} m tall and was built in 1742."),
        "The radio tower is {} times as tall as the chapel.",
        factor,
        amount(),
        "ratio",
        True,
    )


def age(chance: random.Random) -> Case:
    born = chance.randint(1801, 1890)
    years = chance.randint(24, 88)
    return Case(
        "How old did Hanne Lund get?",
        (f"Hanne Lund was born in {born} in Osk. She died in {born + years}.", "Her brother Per Lund had 7 children."),
        "Hanne Lund died at the age of {}.",
        years,
        amount(),
        "date_difference",
        False,
    )


def lasted(chance: random.Random) -> Case:
    start, years = chance.randint(1901, 1960), chance.randint(5, 39)
    return Case(
        "How long did building the dam take?",
        (f"Work on the Orla dam began in {start} and was completed in {start + years}. It is 61 m high.",),
        "Building the Orla dam took {} years.",
        years,
        amount(),
        "date_difference",
        False,
    )


def count_names(chance: random.Random) -> Case:
    names = chance.sample(
        "Austria Belgium Chile Denmark Egypt Finland Ghana Hungary Iceland".split(), chance.randint(4, 7)
    )
    return Case(
        "How many countries signed?",
        (f"The signing countries are {', '.join(names[:-1])} and {names[-1]}.", "The treaty has 120 articles."),
        "The treaty was signed by {} countries.",
        len(names),
        amount(),
        "count",
        False,
    )


def count_rows(chance: random.Random) -> Case:
    names = chance.sample("Alder Birch Cedar Elm Fir Hazel Larch Maple Oak Pine".split(), chance.randint(4, 8))
    rows = "\n".join(f"| {name} | {chance.randint(100, 900)} |" for name in names)
    return Case(
        "How many projects are listed?",
        (f"| Project | Budget |\n|---|---|\n{rows}\n",),
        "The table lists {} projects.",
        len(names),
        amount(),
        "count",
        False,
    )


def column_total(chance: random.Random) -> Case:
    cells = distinct(chance, 8, 100, 999)
    rows = "\n".join(
        f"| {name} | {a} | {b} |"
        for name, a, b in zip("Alpha Beta Gamma Delta".split(), cells[:4], cells[4:], strict=True)
    )
    return Case(
        "What is the total budget?",
        (f"| Team | Budget | Spent |\n|---|---|---|\n{rows}\n", "The programme began in 2018."),
        "The total budget of all teams is {}.",
        sum(cells[:4]),
        amount(),
        "sum",
        False,
    )


def share_of(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 100, 900)
    return Case(
        "What share comes from wind?",
        (f"Power sources (GWh)\nWind: {a}\nSolar: {b}\nHydro: {c}\n",),
        "Wind has a share of {} of the power.",
        a / (a + b + c) * 100,
        amount(1, after=" %"),
        "share",
        False,
    )


def share_of_total(chance: random.Random) -> Case:
    whole = chance.randint(300, 900)
    part = chance.randint(30, 250)
    return Case(
        "What share of the staff work part-time?",
        (f"The clinic has {whole} employees. {part} employees work part-time.", "The clinic has 210 beds."),
        "Part-time employees account for {} of the employees.",
        part / whole * 100,
        amount(1, after=" %"),
        "share",
        False,
    )


def difference(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 200, 990)
    low, high = min(a, b), max(a, b)
    return Case(
        "How much higher is Mount Arv?",
        (f"Mount Arv is {high + 2000} m high. Mount Bel is {low + 2000} m high.", f"Mount Cor is {c + 2000} m high."),
        "Mount Arv is {} higher than Mount Bel.",
        high - low,
        amount(after=" m"),
        "difference",
        True,
    )


def from_to(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 100, 900)
    word = "rose" if b > a else "fell"
    change = "an increase" if b > a else "a decrease"
    return Case(
        "How did rents change?",
        (f"The average rent was {a} euros in 2012.", f"The average rent was {b} euros in 2018. 54 flats were built."),
        f"The average rent {word} from {a} euros to {b} euros, {change} of {{}}.",
        abs(b - a) / a * 100,
        amount(after=" %"),
        "percentage_change",
        True,
    )


def french_difference(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 1000, 8000)
    low, high = min(a, b), max(a, b)
    return Case(
        "Quel est l'écart entre Arlan et Brével ?",
        (
            f"La commune d'Arlan compte {high} habitants. La commune de Brével compte {low} habitants.",
            f"Corvan compte {c} habitants.",
        ),
        "Arlan compte {} habitants de plus que Brével.",
        high - low,
        amount(write=lambda value, _: f"{value:.0f}"),
        "difference",
        True,
    )


def spanish_total(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 100, 900)
    return Case(
        "¿Cuántos alumnos hay en total?",
        (f"La escuela Norte tiene {a} alumnos. La escuela Sur tiene {b} alumnos.", "La escuela Norte tiene 17 aulas."),
        "En total, la escuela Norte y la escuela Sur tienen {} alumnos.",
        a + b,
        amount(write=lambda value, _: f"{value:.0f}"),
        "sum",
        True,
    )


def wan_to_yi(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 5100, 9800)
    return Case(
        "两家工厂产值合计多少？",
        (f"北厂产值为{a}万元。", f"南厂产值为{b}万元，职工320人。"),
        "北厂和南厂产值合计{}元。",
        (a + b) / 1e4,
        amount(2, after="亿"),
        "sum",
        True,
    )


def yearly(chance: random.Random) -> Case:
    rent = chance.randint(31, 99) * 10 + 5
    return Case(
        "What is the rent per year?",
        (f"The monthly rent of the hall is {rent} euros. The hall seats 180 people.",),
        "The hall costs {} per year.",
        rent * 12,
        amount(after=" euros"),
        "product",
        False,
    )


def ends(chance: random.Random) -> Case:
    start, years = chance.randint(1991, 2015), chance.randint(6, 25)
    return Case(
        "When does the lease end?",
        (f"The lease began in {start}. It runs for {years} years.", "The plot measures 840 m2."),
        "The lease ends in {}.",
        start + years,
        amount(write=lambda value, _: f"{value:.0f}"),
        "sum",
        False,
    )


def next_sentence(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 100, 900)
    return Case(
        "How did output develop?",
        (f"Output was {a} tonnes in March and {b} tonnes in April.", "The plant has 3 lines and 77 workers."),
        f"Output was {a} tonnes in March and {b} tonnes in April. That is a change of {{}}.",
        abs(b - a) / a * 100,
        amount(1, after=" %"),
        "percentage_change",
        True,
    )


def columns_in_millions(chance: random.Random) -> Case:
    a, b, c, d = distinct(chance, 4, 100, 900)
    table = f"| Segment | Revenue (EUR million) | Cost (EUR million) |\n|---|---|---|\n| Tools | {max(a, b)} | {min(a, b)} |\n| Paints | {max(c, d)} | {min(c, d)} |\n"
    return Case(
        "What is the profit in Tools?",
        (table,),
        "The profit of the Tools segment, revenue minus cost, is {}.",
        max(a, b) - min(a, b),
        amount(before="€", after=" million"),
        "difference",
        True,
    )


TEMPLATES: tuple[Template, ...] = (
    table_change, prose_sum, german_sum, chinese_growth, chinese_total, mean_of_list, per_capita, discount, vat, points,
    times_as_many, age, lasted, count_names, count_rows, column_total, share_of, share_of_total, difference, from_to,
    french_difference, spanish_total, wan_to_yi, yearly, ends, next_sentence, columns_in_millions,
)  # fmt: skip
