"""Means, and counts of what a text lists: templates that the rules for computed numbers were tuned on."""

import random

from computed.case import Case, Template, amount, de, distinct

__all__ = ["TEMPLATES"]


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


def german_mean(chance: random.Random) -> Case:
    values = distinct(chance, 4, 10, 95)
    lines = "\n".join(
        f"- {month}: {value} mm" for month, value in zip(("Januar", "Februar", "März", "April"), values, strict=True)
    )
    return Case(
        "Wie viel Regen fiel im Durchschnitt?",
        (f"Niederschlag je Monat\n{lines}\n", "Die Station liegt auf 512 m Höhe."),
        "Im Durchschnitt fielen {} Niederschlag je Monat.",
        sum(values) / 4,
        amount(1, after=" mm", write=de),
        "mean",
        False,
    )


def french_mean(chance: random.Random) -> Case:
    values = distinct(chance, 3, 11, 95)
    return Case(
        "Quelle est la moyenne ?",
        (f"Les trois coureurs ont mis {values[0]}, {values[1]} et {values[2]} minutes.", "Le parcours a 14 virages."),
        "En moyenne, les coureurs ont mis {} minutes.",
        sum(values) / 3,
        amount(1, write=de),
        "mean",
        False,
    )


def column_average(chance: random.Random) -> Case:
    cells = distinct(chance, 8, 100, 990)
    rows = "\n".join(
        f"| {name} | {a} | {b} |" for name, a, b in zip("Ems Lahn Nahe Saar".split(), cells[:4], cells[4:], strict=True)
    )
    return Case(
        "What is the mean length?",
        (f"| River | Length (km) | Fish species |\n|---|---|---|\n{rows}\n",),
        "The rivers have an average length of {}.",
        sum(cells[:4]) / 4,
        amount(1, after=" km"),
        "mean",
        False,
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


def german_mean_age(chance: random.Random) -> Case:
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


def bullet_count(chance: random.Random) -> Case:
    items = chance.sample("gloves helmet goggles boots vest mask rope lamp whistle".split(), chance.randint(4, 8))
    lines = "\n".join(f"- {item}" for item in items)
    return Case(
        "How many items are required?",
        (f"Required items for the tour:\n{lines}\n", "The tour is 11 km long."),
        "{} items are required for the tour.",
        len(items),
        amount(),
        "count",
        False,
    )


def german_count(chance: random.Random) -> Case:
    names = chance.sample("Bremen Kassel Ulm Trier Fulda Celle Emden Gera Halle".split(), chance.randint(4, 7))
    return Case(
        "Wie viele Standorte gibt es?",
        (f"Die Standorte sind {', '.join(names[:-1])} und {names[-1]}.", "Gegründet wurde die Firma 1987."),
        "Die Firma hat {} Standorte.",
        len(names),
        amount(),
        "count",
        False,
    )


def chinese_count(chance: random.Random) -> Case:
    names = chance.sample("北京 上海 广州 深圳 成都 武汉 西安 杭州".split(), chance.randint(4, 7))
    return Case(
        "公司有几个分部？",
        (f"公司的分部位于{'、'.join(names)}。", "公司成立于1999年。"),
        "公司共有{}个分部。",
        len(names),
        amount(),
        "count",
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


def months_term(chance: random.Random) -> Case:
    months = chance.choice((18, 30, 42, 54))
    return Case(
        "How many years does the contract run?",
        (f"The contract runs for {months} months. The deposit is 700 euros.",),
        "The contract runs for {}.",
        months / 12,
        amount(1, after=" years"),
        "stated",
        False,
    )


TEMPLATES: tuple[Template, ...] = (
    mean_of_list, german_mean, french_mean, column_average, spanish_average, chinese_mean, german_mean_age,
    rainy_months, count_names, count_rows, bullet_count, german_count, chinese_count, speakers, languages,
    spanish_count, instruments, months_term,
)  # fmt: skip
