# ruff: noqa: E501  texts stand as one line
"""Templates that the rules for computed numbers were tuned on, set 2."""

import random

from computed.case import Case, Template, amount, de, distinct, en

__all__ = ["TEMPLATES"]


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


def chinese_average(chance: random.Random) -> Case:
    people, money = chance.randint(21, 89), chance.randint(300, 990)
    return Case(
        "人均奖金是多少？",
        (f"销售部共有{people}名员工。", f"销售部今年发放奖金{money}万元。", "研发部有45名员工。"),
        "销售部人均奖金约为{}元。",
        money / people,
        amount(2, after="万"),
        "ratio",
        False,
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


def density(chance: random.Random) -> Case:
    people, area = chance.randint(110, 980) * 1000, chance.randint(210, 990)
    return Case(
        "What is the population density of Orm?",
        (f"The canton of Orm has {en(people)} inhabitants on an area of {area} km2. It was founded in 1803.",),
        "Orm has a population density of roughly {} inhabitants per square kilometre.",
        people / area,
        amount(),
        "ratio",
        False,
    )


def unit_price(chance: random.Random) -> Case:
    count, each = chance.randint(11, 48), chance.randint(13, 79)
    return Case(
        "What does the order cost?",
        (f"Each lamp costs {each} euros.", f"The office orders {count} lamps. Delivery takes 9 days."),
        "The {count} lamps cost {} in total.".replace("{count}", str(count)),
        count * each,
        amount(after=" euros"),
        "product",
        True,
    )


def interest(chance: random.Random) -> Case:
    money, rate = chance.randint(21, 95) * 100, chance.choice((2, 3, 4, 6))
    return Case(
        "How much interest is due?",
        (
            f"The loan amounts to {en(money)} dollars at a yearly interest rate of {rate} %.",
            "The bank has 26 branches.",
        ),
        "The interest for one year comes to {}.",
        money * rate / 100,
        amount(before="$"),
        "product",
        False,
    )


def after_tax(chance: random.Random) -> Case:
    money, rate = chance.randint(21, 95) * 100, chance.choice((15, 20, 25, 30))
    return Case(
        "What is left after tax?",
        (f"The prize is {en(money)} pounds. Prizes are taxed at {rate} %.", "There were 318 entrants."),
        "After tax, {} of the prize remain.",
        money * (1 - rate / 100),
        amount(after=" pounds"),
        "product",
        False,
    )


def fold(chance: random.Random) -> Case:
    base, factor = chance.randint(12, 60), chance.choice((2.5, 3.5, 4.5))
    return Case(
        "How did membership grow?",
        (f"The club had {base * 2} members in 1998.", f"By 2008 it had {base * 2 * factor:.0f} members and 2 pools."),
        "From 1998 to 2008, membership grew by a factor of {}.",
        factor,
        amount(1),
        "ratio",
        True,
    )


def german_factor(chance: random.Random) -> Case:
    base, factor = chance.randint(21, 90), chance.choice((3, 4, 6, 7))
    return Case(
        "Wie lang ist der Tunnel im Vergleich zur Brücke?",
        (f"Der Tunnel ist {base * factor} m lang.", f"Die Brücke ist {base} m lang und 9 m breit."),
        "Der Tunnel ist {} mal so lang wie die Brücke.",
        factor,
        amount(),
        "ratio",
        True,
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


def quarter_total(chance: random.Random) -> Case:
    cells = distinct(chance, 8, 100, 990)
    table = "| Product | Q1 | Q2 | Q3 | Q4 |\n|---|---|---|---|---|\n| Ropes | {} | {} | {} | {} |\n| Sails | {} | {} | {} | {} |\n".format(
        *cells
    )
    return Case(
        "How many sails were sold over the year?",
        (f"Units sold in 2022\n{table}", "Orders above 500 units ship free."),
        "Over all four quarters, {} units of Sails were sold in total.",
        sum(cells[4:]),
        amount(),
        "sum",
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


TEMPLATES: tuple[Template, ...] = (
    tab_table_change, german_change, german_mean, chinese_average, chinese_gap, chinese_years, combined_staff, remaining,
    density, unit_price, interest, after_tax, fold, german_factor, spanish_share, french_mean, quarter_total,
    column_average, bullet_count, german_count, chinese_count, days_between, months_term, kilograms, margin_of_votes,
    points_german, cheaper,
)  # fmt: skip
