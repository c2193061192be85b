"""Percentage changes, and shares of a whole: templates that the rules for computed numbers were tuned on."""

import random

from computed.case import Case, Template, amount, de, distinct, en

__all__ = ["TEMPLATES"]


def table_change(chance: random.Random) -> Case:
    a, b, c, d, e, f = distinct(chance, 6, 100, 990)
    table = (
        "Shipments by depot (crates)\n| Depot | 2021 | 2022 |\n|---|---|---|\n"
        f"| Harrow | {a} | {b} |\n| Ludley | {c} | {d} |\n| Marsk | {e} | {f} |\n"
    )
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


def tab_table_change(chance: random.Random) -> Case:
    cells = distinct(chance, 9, 1000, 9900)
    rows = "\n".join(
        f"{name}\t{en(a)}\t{en(b)}\t{en(c)}"
        for name, a, b, c in zip(("Wheat", "Barley", "Rye"), cells[:3], cells[3:6], cells[6:], strict=True)
    )
    old, new = cells[4], cells[7]
    word = "grew" if new > old else "shrank"
    return Case(
        "How did the barley harvest develop after 2018?",
        (f"Harvest in tonnes\nCrop\t2017\t2018\t2019\n{rows}\n", "Fields cover 5,512 hectares; 64 farms took part."),
        f"The barley harvest {word} by about {{}} from 2018 to 2019.",
        abs(new - old) / old * 100,
        amount(after=" percent"),
        "percentage_change",
        True,
    )


def german_change(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 110, 980)
    word = "gestiegen" if b > a else "gesunken"
    return Case(
        "Wie hat sich der Umsatz entwickelt?",
        (
            f"Der Umsatz der Lenz AG lag 2019 bei {a} Mio. Euro.",
            f"2020 erzielte die Lenz AG einen Umsatz von {b} Mio. Euro.",
            f"Die Kern GmbH erzielte 2020 {c} Mio. Euro Umsatz.",
        ),
        f"Der Umsatz der Lenz AG ist 2020 gegenüber 2019 um {{}} {word}.",
        abs(b - a) / a * 100,
        amount(1, after=" %", write=de),
        "percentage_change",
        True,
    )


def cheaper(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 110, 880)
    high, low = max(a, b), min(a, b)
    return Case(
        "Which bike is cheaper?",
        (f"The city bike costs {high} euros.", f"The folding bike costs {low} euros and weighs 12 kg."),
        "The folding bike is {} cheaper than the city bike.",
        (high - low) / high * 100,
        amount(after=" %"),
        "percentage_change",
        True,
    )


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


def exports(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 120, 940)
    verb = "increased" if b > a else "decreased"
    return Case(
        "How did tea exports change in 2011?",
        (
            f"Tea exports: 2010: ${a} million; 2011: ${b} million.",
            f"Coffee exports in 2011: ${c} million. There are 14 ports.",
        ),
        f"Tea exports {verb} by {{}} in 2011.",
        abs(b - a) / a * 100,
        amount(1, after=" %"),
        "percentage_change",
        True,
    )


def spanish_change(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 110, 960)
    verb = "aumentó" if b > a else "bajó"
    return Case(
        "¿Cómo varió la producción?",
        (
            f"En 2005 la producción fue de {a} toneladas.",
            f"En 2006 la producción fue de {b} toneladas. Trabajan 44 personas.",
        ),
        f"La producción {verb} un {{}} de 2005 a 2006.",
        abs(b - a) / a * 100,
        amount(1, after=" %", write=de),
        "percentage_change",
        True,
    )


def chinese_decline(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 210, 980)
    a, b = max(a, b), min(a, b)
    return Case(
        "客流量变化如何？",
        (f"| 年份 | 客流量（万人次） |\n|---|---|\n| 2018 | {a} |\n| 2019 | {b} |\n", "景区门票60元。"),
        "2019年客流量比2018年下降{}。",
        (a - b) / a * 100,
        amount(1, after="%"),
        "percentage_change",
        True,
    )


def subscribers(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 1100, 9900)
    verb = "climbed" if b > a else "dropped"
    return Case(
        "By how much did subscriptions change in the second year?",
        (
            f"The magazine ended 1996 with {en(a)} subscribers.",
            f"At the end of 1997 the magazine had {en(b)} subscribers.",
            f"A rival paper had {en(c)} subscribers in 1997 and 25 editors.",
        ),
        f"The number of subscribers of the magazine {verb} by {{}} between 1996 and 1997.",
        abs(b - a) / a * 100,
        amount(1, after=" percent"),
        "percentage_change",
        True,
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


def spanish_share(chance: random.Random) -> Case:
    whole, part = chance.randint(400, 900), chance.randint(30, 290)
    return Case(
        "¿Qué porcentaje de los votos obtuvo Ruiz?",
        (f"Se emitieron {whole} votos válidos.", f"Elena Ruiz obtuvo {part} votos. La sala tiene 52 asientos."),
        "Elena Ruiz obtuvo el {} de los votos válidos.",
        part / whole * 100,
        amount(1, after=" por ciento", write=de),
        "share",
        False,
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


def share_cell(chance: random.Random) -> Case:
    cells = distinct(chance, 4, 110, 990)
    rows = "\n".join(f"| {name} | {value} |" for name, value in zip(("Bus", "Tram", "Bike", "Car"), cells, strict=True))
    return Case(
        "What share of trips is by tram?",
        (f"| Mode | Trips |\n|---|---|\n{rows}\n", "The survey ran for 16 days."),
        "Tram trips make up {} of all trips.",
        cells[1] / sum(cells) * 100,
        amount(1, after=" %"),
        "share",
        False,
    )


def turnout(chance: random.Random) -> Case:
    whole, share = chance.randint(41, 95) * 100, chance.randint(31, 88)
    return Case(
        "How high was the turnout?",
        (f"Of {en(whole)} eligible voters, {en(whole * share // 100)} cast a ballot.", "Polls closed at 18:00."),
        "Turnout was {} of eligible voters.",
        share,
        amount(after=" %"),
        "share",
        False,
    )


def french_share(chance: random.Random) -> Case:
    whole, part = chance.randint(410, 980), chance.randint(31, 290)
    return Case(
        "Quelle part des élèves apprend le latin ?",
        (f"Le lycée compte {whole} élèves.", f"{part} élèves apprennent le latin. Il y a 37 salles."),
        "Les élèves qui apprennent le latin représentent {} des élèves du lycée.",
        part / whole * 100,
        amount(1, after=" %", write=de),
        "share",
        False,
    )


TEMPLATES: tuple[Template, ...] = (
    table_change, chinese_growth, from_to, next_sentence, tab_table_change, german_change, cheaper, passenger_change,
    french_change, negative_change, exports, spanish_change, chinese_decline, subscribers, share_of, share_of_total,
    spanish_share, german_share, chinese_share, share_cell, turnout, french_share,
)  # fmt: skip
