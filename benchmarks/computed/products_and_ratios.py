"""Products, rates and ratios: templates that the rules for computed numbers were tuned on."""

import random

from computed.case import Case, Template, amount, de, en, plain

__all__ = ["TEMPLATES"]


def discount(chance: random.Random) -> Case:
    price, rate = chance.randint(20, 400) * 10, chance.randint(2, 9)
    return Case(
        "What do I pay with the cash discount?",
        (
            (
                f"The list price of the pump is {en(price)} euros. "
                f"For payment within 10 days, a cash discount of {rate} % is granted."
            ),
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


TEMPLATES: tuple[Template, ...] = (
    discount, vat, yearly, unit_price, interest, after_tax, salary, tip, weekly, surcharge, german_interest,
    chinese_discount, with_tax, per_capita, times_as_many, chinese_average, density, fold, german_factor,
    chinese_times, each_gets, per_student, fuel,
)  # fmt: skip
