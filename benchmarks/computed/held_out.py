"""Templates written apart, of other words, layouts and numbers.

When they were first run, no rule had seen them: 91.9 % were found with value and operation, 76.2 % of the claims
supported, 0.2 % of swapped numbers derived. What they showed then was mended (the word Mehrwertsteuer, products with
lengths of time, how much else of a claim the texts have to hold), so that later figures flatter.
"""

import random

from computed.case import Case, Template, amount, de, distinct, en, plain

__all__ = ["TEMPLATES"]


def rent_change(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 410, 1390)
    verb = "gone up" if b > a else "gone down"
    texts = (
        f"In March 2009 the rent of the flat was {a} francs a month.",
        f"Since April 2014 the rent of the flat has been {b} francs a month; the garage costs {c // 5} francs.",
    )
    return Case(
        "How has the rent of the flat changed?",
        texts,
        f"The rent of the flat has {verb} by {{}} from 2009 to 2014.",
        abs(b - a) / a * 100,
        amount(1, after=" %"),
        "percentage_change",
        True,
    )


def orchards(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 1100, 9800)
    texts = (
        (
            "| Orchard | Trees | Yield (t) |\n|:--|--:|--:|\n"
            f"| Hillside | {en(a)} | 84 |\n| Riverside | {en(b)} | 61 |\n| Lakeside | {en(c)} | 77 |\n"
        ),
    )
    return Case(
        "How many trees grow at Hillside and Lakeside?",
        texts,
        "Hillside and Lakeside have {} trees between them, all told.",
        a + c,
        amount(),
        "sum",
        True,
    )


def loan_years(chance: random.Random) -> Case:
    start, years = chance.randint(1961, 1995), chance.randint(8, 30)
    texts = (
        f"The mill was leased in {start}; the lease was given up in {start + years}.",
        "The mill pond covers 3 hectares.",
    )
    return Case(
        "For how many years was the mill leased?",
        texts,
        "The mill was leased for {} years.",
        years,
        amount(),
        "date_difference",
        False,
    )


def goals(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 21, 88)
    texts = (f"Over the season, Brannock scored {max(a, b)} goals.", f"Fenwick scored {min(a, b)} goals in 34 matches.")
    return Case(
        "How many more goals did Brannock score?",
        texts,
        "Brannock scored {} more goals than Fenwick.",
        abs(a - b),
        amount(),
        "difference",
        True,
    )


def heights(chance: random.Random) -> Case:
    values = distinct(chance, 4, 110, 390)
    rows = "\n".join(
        f"{name}: {value} cm" for name, value in zip(("Aster", "Dahlia", "Lupin", "Phlox"), values, strict=True)
    )
    return Case(
        "How tall are the plants on average?",
        (f"Height of the plants\n{rows}\n", "The bed is 6 m long."),
        "The average height of the plants is {}.",
        sum(values) / 4,
        amount(1, after=" cm"),
        "mean",
        False,
    )


def vaccinated(chance: random.Random) -> Case:
    whole, part = chance.randint(410, 990), chance.randint(40, 390)
    texts = (f"The herd numbers {whole} cattle.", f"The vet vaccinated {part} cattle of the herd, for 7 euros each.")
    return Case(
        "What proportion of the herd was vaccinated?",
        texts,
        "The vaccinated proportion of the herd is {}.",
        part / whole * 100,
        amount(1, after=" %"),
        "share",
        False,
    )


def cost_per_unit(chance: random.Random) -> Case:
    count, each = chance.randint(12, 88), chance.randint(14, 69)
    texts = (
        f"The invoice for the chairs comes to {count * each} euros.",
        f"It covers {count} chairs, delivered in 5 boxes.",
    )
    return Case(
        "What does one chair cost?", texts, "Each chair costs {}.", each, amount(after=" euros"), "ratio", False
    )


def german_vat(chance: random.Random) -> Case:
    price, rate = chance.randint(21, 95) * 10, chance.choice((7, 19))
    texts = (
        f"Das Gerät kostet {price} Euro ohne Mehrwertsteuer.",
        f"Die Mehrwertsteuer beträgt {rate} %. Versand in 3 Tagen.",
    )
    return Case(
        "Was kostet das Gerät mit Mehrwertsteuer?",
        texts,
        "Mit Mehrwertsteuer kostet das Gerät {}.",
        price * (1 + rate / 100),
        amount(2, after=" Euro", write=de),
        "product",
        True,
    )


def german_total(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 110, 940)
    texts = (f"Die Gärtnerei verkaufte {a} Rosen, {b} Tulpen und {c} Nelken.", "Sie öffnet um 8 Uhr.")
    return Case(
        "Wie viele Blumen wurden verkauft?",
        texts,
        "Insgesamt verkaufte die Gärtnerei {} Blumen.",
        a + b + c,
        amount(write=de),
        "sum",
        False,
    )


def german_growth(chance: random.Random) -> Case:
    a, b, c, d = distinct(chance, 4, 1100, 9900)
    verb = "gewachsen" if b > a else "geschrumpft"
    texts = (
        (
            "| Ort | Einwohner 2005 | Einwohner 2015 |\n|---|---|---|\n"
            f"| Aldorf | {de(a)} | {de(b)} |\n| Bergheim | {de(c)} | {de(d)} |\n"
        ),
    )
    return Case(
        "Wie stark ist Aldorf gewachsen?",
        texts,
        f"Aldorf ist zwischen 2005 und 2015 um {{}} {verb}.",
        abs(b - a) / a * 100,
        amount(1, after=" %", write=de),
        "percentage_change",
        True,
    )


def french_ratio(chance: random.Random) -> Case:
    base, factor = chance.randint(21, 90), chance.choice((3, 4, 6))
    texts = (f"Le phare mesure {base * factor} m.", f"La maison mesure {base} m et compte 12 fenêtres.")
    return Case(
        "Combien de fois le phare est-il plus haut ?",
        texts,
        "Le phare est {} fois plus haut que la maison.",
        factor,
        amount(),
        "ratio",
        True,
    )


def french_points(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 12, 88)
    verb = "augmenté" if b > a else "diminué"
    texts = (
        f"Le taux d'emploi était de {a} % en 2001.",
        f"Le taux d'emploi était de {b} % en 2006. La ville a 9 écoles.",
    )
    return Case(
        "Comment a évolué le taux d'emploi ?",
        texts,
        f"Entre 2001 et 2006, le taux d'emploi a {verb} de {{}}.",
        abs(b - a),
        amount(after=" points de pourcentage"),
        "difference",
        True,
    )


def spanish_rest(chance: random.Random) -> Case:
    whole, part = chance.randint(510, 990), chance.randint(110, 390)
    texts = (f"El almacén tenía {whole} cajas.", f"Se vendieron {part} cajas del almacén en 4 días.")
    return Case(
        "¿Cuántas cajas quedan?", texts, "En el almacén quedan {} cajas.", whole - part, amount(), "difference", False
    )


def spanish_discount(chance: random.Random) -> Case:
    price, rate = chance.randint(21, 95) * 10, chance.choice((5, 10, 15))
    texts = (f"El sofá cuesta {price} euros.", f"Hay un descuento del {rate} %. La entrega tarda 8 días.")
    return Case(
        "¿Cuánto cuesta el sofá con descuento?",
        texts,
        "Con el descuento, el sofá cuesta {}.",
        price * (1 - rate / 100),
        amount(2, after=" euros", write=de),
        "product",
        True,
    )


def chinese_growth(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 110, 980)
    verb = "提高了" if b > a else "降低了"
    texts = (f"2015年小麦亩产为{a}公斤。", f"2020年小麦亩产为{b}公斤，种植面积60亩。")
    return Case(
        "小麦亩产变化多少？",
        texts,
        f"与2015年相比，2020年小麦亩产{verb}{{}}。",
        abs(b - a) / a * 100,
        amount(1, after="%"),
        "percentage_change",
        True,
    )


def chinese_interval(chance: random.Random) -> Case:
    start, years = chance.randint(1905, 1950), chance.randint(11, 60)
    texts = (f"铁路于{start}年开工。", f"铁路于{start + years}年完工，设车站26座。")
    return Case(
        "修建铁路用了多少年？",
        texts,
        "修建铁路历时{}。",
        years,
        amount(after="年", write=plain),
        "date_difference",
        False,
    )


def chinese_items(chance: random.Random) -> Case:
    names = chance.sample("苹果 香蕉 葡萄 西瓜 草莓 樱桃 芒果 柠檬".split(), chance.randint(4, 7))
    texts = (f"本店出售的水果包括{'、'.join(names)}。", "本店成立于2006年。")
    return Case("本店出售几种水果？", texts, "本店共出售{}种水果。", len(names), amount(), "count", False)


def stops(chance: random.Random) -> Case:
    names = chance.sample("Elm Oak Pine Birch Cedar Maple Larch Alder".split(), chance.randint(4, 7))
    rows = "\n".join(f"{name}\t{chance.randint(11, 99)}" for name in names)
    return Case(
        "How many stations does the table give?",
        (f"Station\tSpaces\n{rows}\n", "Trains run from 5:40."),
        "There are {} stations on the line.",
        len(names),
        amount(),
        "count",
        False,
    )


def two_years(chance: random.Random) -> Case:
    a, b, c = distinct(chance, 3, 1000, 9000)
    texts = (
        f"In 2012 the trust gave {en(a)} dollars to schools.",
        f"In 2013 the trust gave {en(b)} dollars to schools.",
        f"In 2014 it gave {en(c)} dollars to museums.",
    )
    return Case(
        "How much did the trust give to schools in both years?",
        texts,
        "In 2012 and 2013, the trust gave schools a total of {}.",
        a + b,
        amount(before="$"),
        "sum",
        True,
    )


def halves(chance: random.Random) -> Case:
    a, b = distinct(chance, 2, 1100, 9900)
    texts = (f"First half: {en(a)} tickets.", f"Second half: {en(b)} tickets. Refunds: 41.")
    return Case(
        "How many tickets were sold over the year?",
        texts,
        "Tickets sold in both halves: {} in total.",
        a + b,
        amount(),
        "sum",
        True,
    )


TEMPLATES: tuple[Template, ...] = (
    rent_change, orchards, loan_years, goals, heights, vaccinated, cost_per_unit, german_vat, german_total,
    german_growth, french_ratio, french_points, spanish_rest, spanish_discount, chinese_growth, chinese_interval,
    chinese_items, stops, two_years, halves,
)  # fmt: skip
