"""Sums: templates that the rules for computed numbers were tuned on."""

import random

from computed.case import Case, Template, amount, de, distinct, en, plain

__all__ = ["TEMPLATES"]


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


def combined_staff(chance: random.Random) -> Case:
    a, b, c, d = distinct(chance, 4, 110, 940)
    return Case(
        "How many people work at the plants?",
        (
            f"Plant: Osby\nStaff: {a}\nShifts: 3\n",
            f"Plant: Talby\nStaff: {b}\nShifts: 2\n",
            f"Office: Runby\nStaff: {c}\nDesks: {d}\n",
        ),
        "The plants in Osby and Talby have a combined staff of {}.",
        a + b,
        amount(),
        "sum",
        True,
    )


def quarter_total(chance: random.Random) -> Case:
    cells = distinct(chance, 8, 100, 990)
    table = (
        "| Product | Q1 | Q2 | Q3 | Q4 |\n|---|---|---|---|---|\n"
        "| Ropes | {} | {} | {} | {} |\n| Sails | {} | {} | {} | {} |\n"
    ).format(*cells)
    return Case(
        "How many sails were sold over the year?",
        (f"Units sold in 2022\n{table}", "Orders above 500 units ship free."),
        "Over all four quarters, {} units of Sails were sold in total.",
        sum(cells[4:]),
        amount(),
        "sum",
        False,
    )


def kilograms(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 1100, 9800)
    return Case(
        "What do both loads weigh?",
        (f"The first load weighs {en(a)} kg.", f"The second load weighs {en(b)} kg. The truck has 6 axles."),
        "The first load and the second load weigh {} together.",
        (a + b) / 1000,
        amount(2, after=" t"),
        "sum",
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


def parking(chance: random.Random) -> Case:
    cells = distinct(chance, 5, 110, 980)
    rows = "\n".join(
        f"{name} | {value}" for name, value in zip(("Lot A", "Lot B", "Lot C", "Lot D", "Lot E"), cells, strict=True)
    )
    return Case(
        "How many spaces are there altogether?",
        (f"Car park | Spaces\n{rows}\n", "Parking costs 3 euros per hour."),
        "Altogether there are {} spaces.",
        sum(cells),
        amount(),
        "sum",
        False,
    )


def german_table_sum(chance: random.Random) -> Case:
    cells = distinct(chance, 6, 1000, 9000)
    rows = "\n".join(
        f"| {name} | {de(a)} | {de(b)} |"
        for name, a, b in zip(("Werk Ahlen", "Werk Brake", "Werk Coburg"), cells[:3], cells[3:], strict=True)
    )
    return Case(
        "Wie hoch ist der Gesamtverbrauch 2019?",
        (f"Stromverbrauch (MWh)\n| Werk | 2018 | 2019 |\n|---|---|---|\n{rows}\n",),
        "Insgesamt verbrauchten die Werke 2019 {}.",
        sum(cells[3:]),
        amount(after=" MWh", write=de),
        "sum",
        False,
    )


def french_total(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 110, 940)
    return Case(
        "Combien de livres au total ?",
        (f"La bibliothèque possède {a} romans, {b} essais et {c} atlas.", "Elle ferme à 18 heures."),
        "Au total, la bibliothèque possède {} livres.",
        a + b + c,
        amount(write=plain),
        "sum",
        False,
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
            (
                f"The first film runs {values[0]} minutes, the second {values[1]} minutes "
                f"and the third {values[2]} minutes."
            ),
            "The trilogy won 8 awards.",
        ),
        "The three films have a total running time of {}.",
        sum(values),
        amount(after=" minutes"),
        "sum",
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


TEMPLATES: tuple[Template, ...] = (
    prose_sum, german_sum, chinese_total, column_total, spanish_total, wan_to_yi, ends, combined_staff, quarter_total,
    kilograms, budget_rows, chinese_table, parking, german_table_sum, french_total, warehouse, runtime, chinese_sum,
)  # fmt: skip
