"""Templates that the rules for computed numbers were tuned on, set 4."""

import random

from computed.case import Case, Template, amount, de, distinct, en

__all__ = ["TEMPLATES"]


def plain(value: float, decimals: int = 0) -> str:
    return f"{value:.{decimals}f}"


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


def chinese_mean(chance: random.Random) -> Case:
    values = distinct(chance, 4, 31, 98)
    return Case(
        "平均分是多少？",
        (f"四次考试成绩分别为{values[0]}分、{values[1]}分、{values[2]}分和{values[3]}分。", "每次考试时长90分钟。"),
        "四次考试的平均成绩为{}。",
        sum(values) / 4,
        amount(2, after="分"),
        "mean",
        False,
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


def per_student(chance: random.Random) -> Case:
    people, each = chance.randint(120, 890), chance.randint(31, 88) * 10
    return Case(
        "What does the school spend per student?",
        (f"The school spends {en(people * each)} euros a year.", f"It has {people} students and 9 buses."),
        "The school spends {} per student.",
        each,
        amount(after=" euros"),
        "ratio",
        False,
    )


def weekly(chance: random.Random) -> Case:
    units = chance.randint(31, 98)
    return Case(
        "How many loaves a week?",
        (f"The bakery makes {units} loaves per day, seven days running.",),
        "The bakery makes {} loaves per week.",
        units * 7,
        amount(),
        "product",
        False,
    )


def surcharge(chance: random.Random) -> Case:
    price, rate = chance.randint(21, 95) * 10, chance.choice((4, 8, 12))
    return Case(
        "What is the fare with the surcharge?",
        (f"The basic fare is {price} dollars.", f"A fuel surcharge of {rate} % applies. Seats: 52."),
        "Including the surcharge, the fare is {}.",
        price * (1 + rate / 100),
        amount(2, before="$"),
        "product",
        True,
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


def languages(chance: random.Random) -> Case:
    names = chance.sample("Basque Catalan Frisian Irish Latvian Maltese Sami Welsh".split(), chance.randint(4, 7))
    return Case(
        "How many languages are supported?",
        (
            f"The app supports the following languages: {', '.join(names[:-1])}, and {names[-1]}.",
            "It costs 12 dollars.",
        ),
        "The app supports {} languages.",
        len(names),
        amount(),
        "count",
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


TEMPLATES: tuple[Template, ...] = (
    exports, parking, german_rest, german_table_sum, french_total, french_age, spanish_change, spanish_difference,
    chinese_mean, chinese_rest, chinese_decline, per_student, weekly, surcharge, museum_years, languages, share_cell,
)  # fmt: skip
