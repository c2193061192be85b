"""Differences of amounts, and of dates: templates that the rules for computed numbers were tuned on."""

import random

from computed.case import Case, Template, amount, de, distinct, en

__all__ = ["TEMPLATES"]


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


def columns_in_millions(chance: random.Random) -> Case:
    a, b, c, d = distinct(chance, 4, 100, 900)
    table = (
        "| Segment | Revenue (EUR million) | Cost (EUR million) |\n|---|---|---|\n"
        f"| Tools | {max(a, b)} | {min(a, b)} |\n| Paints | {max(c, d)} | {min(c, d)} |\n"
    )
    return Case(
        "What is the profit in Tools?",
        (table,),
        "The profit of the Tools segment, revenue minus cost, is {}.",
        max(a, b) - min(a, b),
        amount(before="€", after=" million"),
        "difference",
        True,
    )


def chinese_gap(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 1000, 8000)
    high, low = max(a, b), min(a, b)
    return Case(
        "青山比白岭高多少？",
        (f"青山海拔{high}米，白岭海拔{low}米。", f"黑峰海拔{c}米，2003年开放。"),
        "青山比白岭高{}。",
        high - low,
        amount(after="米", write=lambda value, _: f"{value:.0f}"),
        "difference",
        True,
    )


def remaining(chance: random.Random) -> Case:
    whole, part = chance.randint(500, 990), chance.randint(101, 390)
    return Case(
        "How many seats are left?",
        (f"The hall has {whole} seats.", f"So far, {part} seats have been sold. Tickets cost 24 euros."),
        "There are {} seats left in the hall.",
        whole - part,
        amount(),
        "difference",
        False,
    )


def margin_of_votes(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 1000, 9000)
    high, low = max(a, b), min(a, b)
    return Case(
        "How large was the margin?",
        (f"| Candidate | Votes |\n|---|---|\n| Ames | {en(high)} |\n| Boyd | {en(low)} |\n| Cole | {en(c)} |\n",),
        "Ames beat Boyd by a margin of {} votes.",
        high - low,
        amount(),
        "difference",
        True,
    )


def points_german(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 10, 80)
    word = "gestiegen" if b > a else "gefallen"
    return Case(
        "Wie änderte sich die Quote?",
        (f"2010 lag die Recyclingquote bei {a} %, 2016 bei {b} %.", "Erfasst wurden 118 Gemeinden."),
        f"Die Recyclingquote ist von 2010 bis 2016 um {{}} {word}.",
        abs(b - a),
        amount(after=" Prozentpunkte", write=de),
        "difference",
        True,
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


def german_rest(chance: random.Random) -> Case:
    whole, part = chance.randint(510, 990), chance.randint(110, 390)
    return Case(
        "Wie viele Plätze bleiben frei?",
        (
            f"Das Theater hat {whole} Plätze.",
            f"{part} Plätze sind bereits verkauft. Die Aufführung beginnt um 19:30 Uhr.",
        ),
        "Es bleiben {} Plätze im Theater übrig.",
        whole - part,
        amount(),
        "difference",
        False,
    )


def spanish_difference(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 210, 990)
    high, low = max(a, b), min(a, b)
    return Case(
        "¿Cuánto más largo es el río Alba?",
        (f"El río Alba mide {high} km. El río Bero mide {low} km.", "La cuenca tiene 6 presas."),
        "El río Alba es {} más largo que el río Bero.",
        high - low,
        amount(after=" km"),
        "difference",
        True,
    )


def chinese_rest(chance: random.Random) -> Case:
    whole, part = chance.randint(510, 990), chance.randint(110, 390)
    return Case(
        "还剩多少吨？",
        (f"粮库原有大米{whole}吨。", f"本月运出大米{part}吨，用车12辆。"),
        "粮库还剩大米{}。",
        whole - part,
        amount(after="吨"),
        "difference",
        False,
    )


def lead(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 41, 98)
    return Case(
        "What is the gap?",
        (f"After ten rounds, Dorn has {max(a, b)} points.", f"Ekman has {min(a, b)} points and 3 wins."),
        "Dorn is {} points ahead of Ekman.",
        abs(a - b),
        amount(),
        "difference",
        True,
    )


def german_cheaper(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 110, 880)
    high, low = max(a, b), min(a, b)
    return Case(
        "Was kostet weniger?",
        (f"Die Fahrt mit der Bahn kostet {low} Euro.", f"Der Flug kostet {high} Euro und dauert 70 Minuten."),
        "Die Bahn ist {} billiger als der Flug.",
        high - low,
        amount(after=" Euro"),
        "difference",
        True,
    )


def half_year(chance: random.Random) -> Case:
    a, b, c, d = distinct(chance, 4, 110, 980)
    return Case(
        "How did profits compare?",
        (
            (
                f"Arvid plc\nProfit 2003: {a} million pounds\nProfit 2004: {b} million pounds\n"
                f"Dividends 2003: {c} million pounds\nDividends 2004: {d} million pounds\n"
            ),
        ),
        "Arvid's profit in 2004 differed from that of 2003 by {}.",
        abs(a - b),
        amount(after=" million pounds"),
        "difference",
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


def chinese_years(chance: random.Random) -> Case:
    start, years = chance.randint(1905, 1950), chance.randint(21, 69)
    return Case(
        "大桥使用了多少年？",
        (f"清河大桥于{start}年建成通车，{start + years}年拆除，全长318米。",),
        "清河大桥共使用了{}。",
        years,
        amount(after="年", write=lambda value, _: f"{value:.0f}"),
        "date_difference",
        False,
    )


def days_between(chance: random.Random) -> Case:
    start, days = chance.randint(1, 9), chance.randint(11, 19)
    return Case(
        "How long was the festival?",
        (f"The festival opened on {start} June 2018 and closed on {start + days} June 2018. It had 36 stages.",),
        "The festival lasted {} days.",
        days,
        amount(),
        "date_difference",
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


def french_age(chance: random.Random) -> Case:
    born, years = chance.randint(1701, 1850), chance.randint(25, 90)
    return Case(
        "À quel âge est mort Luc Morel ?",
        (f"Luc Morel naquit en {born} à Lens. Il mourut en {born + years}.", "Il écrivit 31 romans."),
        "Luc Morel est mort à l'âge de {} ans.",
        years,
        amount(),
        "date_difference",
        False,
    )


def museum_years(chance: random.Random) -> Case:
    start, years = chance.randint(1880, 1930), chance.randint(11, 77)
    return Case(
        "How many years lie between opening and fire?",
        (f"The museum opened in {start}.", f"A fire destroyed it in {start + years}; 260 paintings were lost."),
        "There were {} years between the opening and the fire.",
        years,
        amount(),
        "date_difference",
        False,
    )


def german_years(chance: random.Random) -> Case:
    start, years = chance.randint(1880, 1930), chance.randint(11, 69)
    return Case(
        "Wie lange fuhr die Straßenbahn?",
        (f"Die Straßenbahn wurde {start} eröffnet und {start + years} stillgelegt.", "Sie hatte 23 Haltestellen."),
        "Die Straßenbahn fuhr {} Jahre lang.",
        years,
        amount(),
        "date_difference",
        False,
    )


def spanish_years(chance: random.Random) -> Case:
    born, years = chance.randint(1701, 1850), chance.randint(25, 90)
    return Case(
        "¿A qué edad murió Ana Soler?",
        (f"Ana Soler nació en {born} y murió en {born + years}.", "Publicó 16 novelas."),
        "Ana Soler murió a los {} años.",
        years,
        amount(),
        "date_difference",
        False,
    )


def chinese_age(chance: random.Random) -> Case:
    born, years = chance.randint(1811, 1890), chance.randint(31, 88)
    return Case(
        "陈远山享年多少岁？",
        (f"陈远山生于{born}年，卒于{born + years}年，著有诗集7部。",),
        "陈远山享年{}岁。",
        years,
        amount(),
        "date_difference",
        False,
    )


TEMPLATES: tuple[Template, ...] = (
    points, difference, french_difference, columns_in_millions, chinese_gap, remaining, margin_of_votes,
    points_german, two_cells, rate_points, german_rest, spanish_difference, chinese_rest, lead, german_cheaper,
    half_year, age, lasted, chinese_years, days_between, german_age, reign, french_age, museum_years, german_years,
    spanish_years, chinese_age,
)  # fmt: skip
