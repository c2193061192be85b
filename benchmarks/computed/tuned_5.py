# ruff: noqa: E501  texts stand as one line
"""Templates that the rules for computed numbers were tuned on, set 5."""

import random

from computed.case import Case, Template, amount, de, distinct, en

__all__ = ["TEMPLATES"]


def plain(value: float, decimals: int = 0) -> str:
    return f"{value:.{decimals}f}"


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


def warehouse(chance: random.Random) -> Case:
    cells = distinct(chance, 8, 110, 990)
    rows = "\n".join(
        f"| {name} | {a} | {b} |"
        for name, a, b in zip(("Bolts", "Nuts", "Screws", "Rivets"), cells[:4], cells[4:], strict=True)
    )
    return Case(
        "How many bolts and screws are in stock?",
        (f"| Item | In stock | On order |\n|---|---|---|\n{rows}\n", "Aisle 7 holds 20 shelves."),
        "Bolts and screws in stock add up to {} pieces.",
        cells[0] + cells[2],
        amount(),
        "sum",
        True,
    )


def runtime(chance: random.Random) -> Case:
    values = distinct(chance, 3, 71, 180)
    return Case(
        "How long is the trilogy?",
        (
            f"The first film runs {values[0]} minutes, the second {values[1]} minutes and the third {values[2]} minutes.",
            "The trilogy won 8 awards.",
        ),
        "The three films have a total running time of {}.",
        sum(values),
        amount(after=" minutes"),
        "sum",
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


def fuel(chance: random.Random) -> Case:
    km, per = chance.randint(21, 89) * 10, chance.choice((4, 5, 8))
    return Case(
        "How far per litre?",
        (
            f"On the test drive, the car covered {km * per} km.",
            f"It used {km} litres of petrol. The tank holds 55 litres.",
        ),
        "The car covered {} per litre of petrol.",
        per,
        amount(1, after=" km"),
        "ratio",
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


def german_interest(chance: random.Random) -> Case:
    money, rate = chance.randint(21, 95) * 100, chance.choice((2, 3, 4, 6))
    return Case(
        "Wie viel Zinsen fallen im Jahr an?",
        (
            f"Das Darlehen beläuft sich auf {de(money)} Euro.",
            f"Der jährliche Zinssatz liegt bei {rate} %. Die Bank hat 14 Filialen.",
        ),
        "Im Jahr fallen {} Zinsen an.",
        money * rate / 100,
        amount(after=" Euro", write=de),
        "product",
        False,
    )


def german_mean(chance: random.Random) -> Case:
    values = distinct(chance, 4, 31, 98)
    return Case(
        "Wie alt sind die Mitglieder im Schnitt?",
        (
            f"Die Mitglieder sind {values[0]}, {values[1]}, {values[2]} und {values[3]} Jahre alt.",
            "Der Verein trifft sich in Raum 12.",
        ),
        "Die Mitglieder sind im Schnitt {} alt.",
        sum(values) / 4,
        amount(1, after=" Jahre", write=de),
        "mean",
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


def spanish_count(chance: random.Random) -> Case:
    names = chance.sample("Lugo Cádiz Huesca Soria Jaén Ávila Cuenca Teruel".split(), chance.randint(4, 7))
    return Case(
        "¿Cuántas sedes tiene la empresa?",
        (f"Las sedes de la empresa son {', '.join(names[:-1])} y {names[-1]}.", "Fue fundada en 1978."),
        "La empresa tiene {} sedes.",
        len(names),
        amount(),
        "count",
        False,
    )


def chinese_sum(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 110, 940)
    return Case(
        "一班和二班共捐了多少元？",
        (f"一班捐款{a}元。", f"二班捐款{b}元。", f"三班捐款{c}元，全校有30个班。"),
        "一班和二班共捐款{}。",
        a + b,
        amount(after="元", write=plain),
        "sum",
        True,
    )


def chinese_discount(chance: random.Random) -> Case:
    price, rate = chance.randint(21, 95) * 10, chance.choice((5, 10, 15, 20))
    return Case(
        "优惠后多少钱？",
        (f"大衣原价{price}元，会员优惠{rate}%。", "店铺营业至21点。"),
        "会员优惠后，大衣价格为{}。",
        price * (1 - rate / 100),
        amount(1, after="元", write=plain),
        "product",
        True,
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


def rainy_months(chance: random.Random) -> Case:
    values = distinct(chance, 4, 21, 190)
    lines = "\n".join(
        f"{name}\t{value}" for name, value in zip(("January", "February", "March", "April"), values, strict=True)
    )
    return Case(
        "What was the mean monthly rainfall?",
        (f"Month\tRainfall (mm)\n{lines}\n", "The gauge stands 310 m above sea level."),
        "Rainfall averaged {} per month.",
        sum(values) / 4,
        amount(1, after=" mm"),
        "mean",
        False,
    )


def instruments(chance: random.Random) -> Case:
    names = chance.sample("harp flute oboe viola cello tuba horn lute".split(), chance.randint(4, 7))
    lines = "\n".join(f"* {name}" for name in names)
    return Case(
        "How many instruments does the shop rent out?",
        (f"Instruments for rent\n\n{lines}\n", "Rent is due on the 5th."),
        "The shop rents out {} instruments.",
        len(names),
        amount(),
        "count",
        False,
    )


def half_year(chance: random.Random) -> Case:
    a, b, c, d = distinct(chance, 4, 110, 980)
    return Case(
        "How did profits compare?",
        (
            f"Arvid plc\nProfit 2003: {a} million pounds\nProfit 2004: {b} million pounds\nDividends 2003: {c} million pounds\nDividends 2004: {d} million pounds\n",
        ),
        "Arvid's profit in 2004 differed from that of 2003 by {}.",
        abs(a - b),
        amount(after=" million pounds"),
        "difference",
        True,
    )


def with_tax(chance: random.Random) -> Case:
    price, rate = chance.randint(21, 95) * 10, chance.choice((5, 8, 12, 20))
    return Case(
        "What is the room rate with tax?",
        (f"The room rate is {price} dollars, plus a city tax of {rate} %.", "Breakfast is served from 7:00."),
        "With the city tax, the room comes to {}.",
        price * (1 + rate / 100),
        amount(2, after=" dollars"),
        "product",
        True,
    )


TEMPLATES: tuple[Template, ...] = (
    subscribers, warehouse, runtime, lead, fuel, turnout, german_interest, german_mean, german_years, german_cheaper,
    french_share, spanish_years, spanish_count, chinese_sum, chinese_discount, chinese_age, rainy_months, instruments,
    half_year, with_tax,
)  # fmt: skip
