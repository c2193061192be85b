"""Supported or not: one claim against one source, over values, negation, direction and languages."""

import pytest

from rag_eval_hooks import evaluate, read_run


@pytest.mark.parametrize(
    ("source", "claim", "supported"),
    [
        ("The trip takes 1.5 hours.", "The trip takes 90 minutes.", True),
        ("The path is 500 m long.", "The path is 0.5 km long.", True),
        ("Revenue was $3bn.", "Revenue was 3,000 million dollars.", True),
        ("One in five users left.", "20% of users left.", True),
        ("Half of the seats are taken.", "50% of the seats are taken.", True),
        ("A third of the members voted.", "One third of the members voted.", True),
        ("The tank is 3/4 full.", "The tank is 75% full.", True),
        ("Sales in Q3 2023 were 40 units.", "In the third quarter of 2023, 40 units were sold.", True),
        ("The office is on the 2nd floor.", "The office is on the second floor.", True),
        ("The office is on the 2nd floor.", "The office is on the third floor.", False),
        ("The fee is 1 200,50 EUR.", "The fee is 1,200.50 euros.", True),
        ("The rate rose from 3% to 5%.", "The rate rose to 5%.", True),
        ("The rate rose from 3% to 5%.", "The rate fell from 5% to 3%.", False),
        ("Profit increased by 12%.", "Profit decreased by 12%.", False),
        ("Version 3.10 added match.", "Version 3.1 added match.", False),
        ("Python 3.10 added match statements.", "Match statements were added in Python 3.10.", True),
        ("The meeting is at 3 pm.", "The meeting is at 15:00.", True),
        ("The meeting is at 3 pm.", "The meeting is at 3 am.", False),
        ("The bridge is 1,280 m long.", "The bridge is about 1.3 km long.", True),
        ("The bridge is 1,280 m long.", "The bridge is about 1.5 km long.", False),
        ("It weighs 2 kg.", "It weighs 2,000 g.", True),
        ("It weighs 2 kg.", "It weighs 2 lb.", False),
        ("The museum has 1.2 million visitors a year.", "The museum has 1,200,000 visitors a year.", True),
        ("The budget is €4.5m.", "The budget is 4.5 million euros.", True),
        ("Temperatures reach 40 °C.", "Temperatures reach 104 °F.", True),
        ("He was born on 4 July 1976.", "He was born on July 4th, 1976.", True),
        ("He was born on 4 July 1976.", "He was born on 7 April 1976.", False),
        ("The law passed in March 2021.", "The law passed in 2021.", True),
        ("The law passed in March 2021.", "The law passed in May 2021.", False),
        ("The hall seats 1,500 people.", "The hall seats fifteen hundred people.", True),
        ("The hall has twenty-five rows.", "The hall has 25 rows.", True),
        ("The hall has two hundred seats.", "The hall has 200 seats.", True),
        ("The population is 8.9 million.", "The population is 9.8 million.", False),
        ("The phone number is 555-0123.", "The phone number is 555-0132.", False),
        ("The error code is E-404.", "The error code is E-405.", False),
        ("The limit is 10 MB.", "The limit is 10 GB.", False),
        ("The limit is 1 GB.", "The limit is 1000 MB.", True),
        ("Speed is limited to 50 km/h.", "Speed is limited to 50 mph.", False),
        ("The price rose 15 percent.", "The price rose 15%.", True),
        ("The share is 0.5%.", "The share is 50%.", False),
        ("It costs £20.", "It costs 20 pounds.", True),
        ("It costs £20.", "It costs $20.", False),
        ("He scored 3 goals in 2 games.", "He scored 2 goals in 3 games.", False),
        ("Opening hours: Mon-Fri 9-17.", "It is open from 9 to 17 on weekdays.", True),
        ("The pool is heated.", "The pool is not heated.", False),
        ("The pool isn't heated.", "The pool is heated.", False),
        ("The museum is no longer open.", "The museum is open.", False),
        ("Dogs are not allowed in the park.", "Dogs are allowed in the park.", False),
        ("Dogs are not allowed in the park.", "Dogs aren't allowed in the park.", True),
        ("The drug is without side effects.", "The drug has no side effects.", True),
        ("Nobody was hurt.", "Nobody was hurt.", True),
        ("Le musée ouvre à 10 h 30.", "Le musée ouvre à 10:30.", True),
        ("Le lac mesure 3,5 km de long.", "Le lac mesure 3 500 mètres de long.", True),
        ("El puente fue construido en 1932.", "El puente fue construido en 1923.", False),
        ("El puente fue construido en 1932.", "El puente se construyó en 1932.", True),
        ("Мост построен в 1932 году.", "Мост был построен в 1932 году.", True),
        ("Мост построен в 1932 году.", "Мост был построен в 1933 году.", False),
        ("يفتح المتحف في الساعة ١٠.", "يفتح المتحف في الساعة 10.", True),
        ("สะพานสร้างในปี 2475", "สะพานสร้างในปี 2475", True),
        ("สะพานสร้างในปี 2475", "สะพานสร้างในปี 2476", False),
        ("富士山の高さは3776メートルです。", "富士山の高さは3667メートルです。", False),
        ("서울타워의 높이는 236미터이다.", "서울타워의 높이는 236m입니다.", True),
        ("该公司2022年净利润为1.2亿元。", "2022年该公司净利润为12000万元。", True),
        ("该公司2022年净利润为1.2亿元。", "2022年该公司净利润为1.2万元。", False),
        ("会议于下午3点开始。", "会议15:00开始。", True),
        ("增长率为百分之十五。", "增长率为15%。", True),
        ("共有二十五名学生。", "共有25名学生。", True),
        ("该药物没有副作用。", "该药物有副作用。", False),
        ("第一季度销量为三千台。", "第一季度销量为3000台。", True),
        ("他出生于1990年5月。", "他出生于1990年。", True),
        ("会議は３月５日に開かれた。", "会議は3月5日に開かれた。", True),
        ("Die Miete beträgt 1.250,00 €.", "Die Miete beträgt 1250 Euro.", True),
        ("Der Zug fährt um 14.30 Uhr ab.", "Der Zug fährt um 14:30 Uhr ab.", True),
        ("Die Firma hat 1.500 Mitarbeiter.", "Die Firma hat 1500 Mitarbeiter.", True),
        ("It is on 5 March 2024.", "It is on 05/03/2024.", True),
        ("It is on 05/03/2024.", "It is on 3 May 2024.", True),
        ("It takes twenty-five days.", "It takes 5 days.", False),
        ("The train leaves at 14 Uhr.", "The train leaves at 14:00 Uhr.", True),
        ("Take before meals.", "Take after meals.", False),
        ("At least 30 people.", "At most 30 people.", False),
        ("More than 30 came.", "Fewer than 30 came.", False),
        ("Dogs are allowed.", "Dogs are forbidden.", False),
        ("The board failed to approve it.", "The board approved it.", False),
        ("Le musée n'est pas ouvert.", "Le musée est ouvert.", False),
        ("Il negozio non apre il lunedì.", "Il negozio apre il lunedì.", False),
        ("Музей не работает.", "Музей работает.", False),
        ("Rauchen ist erlaubt.", "Rauchen ist verboten.", False),
        ("The pool is open.", "The pool is closed.", False),
    ],
)
def test_support(source: str, claim: str, supported: bool) -> None:
    claims = evaluate(read_run({"contexts": [source], "answer": claim})).claims
    assert [one.verdict == "supported" for one in claims] == [supported]


@pytest.mark.parametrize(
    ("question", "contexts", "answer", "used"),
    [
        (
            "Who wrote it?",
            ["Anna Holm wrote 'Glass Rivers' in 1951.", "Peter Holm wrote 'Stone Rivers' in 1951."],
            "Peter Holm wrote 'Stone Rivers'.",
            [2],
        ),
        (
            "What is the capital of Arvania?",
            ["The capital of Arvania is Belt.", "The capital of Corvia is Mint.", "Arvania borders Corvia."],
            "Belt",
            [1],
        ),
        (
            "Which plan includes support?",
            ["| Plan | Support |\n|---|---|\n| Basic | no |\n| Pro | yes |", "The Pro plan costs 20 euros."],
            "The Pro plan includes support.",
            [1],
        ),
        (
            "What does ls -a do?",
            ["ls -l lists details.", "ls -a lists all entries, including hidden ones."],
            "`ls -a` lists all entries, including hidden ones.",
            [2],
        ),
        ("青山大学在哪里？", ["青山大学位于湖州市。", "绿水大学位于台州市。"], "青山大学位于湖州市。", [1]),
        (
            "東駅の乗客数は？",
            ["西駅の乗客数は1日3万人です。", "東駅の乗客数は1日5万人です。"],
            "東駅の乗客数は1日5万人です。",
            [2],
        ),
        (
            "Что находится в Туле?",
            ["Музей оружия находится в Туле.", "Музей космоса находится в Калуге."],
            "В Туле находится музей оружия.",
            [1],
        ),
        (
            "How do I reset?",
            [
                "Hold the red button for ten seconds to reset the router.",
                "The router has a red button and a blue light.",
                "Routers are sold in stores.",
            ],
            "Press and hold the red button for 10 seconds.",
            [1],
        ),
        (
            "What's the fee and the deadline?",
            ["The fee is 30 euros.", "The deadline is 5 May.", "The form is blue."],
            "The fee is 30 euros and the deadline is 5 May.",
            [1, 2],
        ),
        (
            "Who is CEO?",
            ["Mara Lind became CEO of Tolva in 2019.", "Jon Vik was CEO of Tolva until 2019."],
            "Mara Lind is the CEO of Tolva since 2019.",
            [1],
        ),
    ],
)
def test_used_ranks(question: str, contexts: list[str], answer: str, used: list[int]) -> None:
    evaluation = evaluate(read_run({"question": question, "contexts": contexts, "answer": answer}))
    assert [chunk.rank for chunk in evaluation.chunks if chunk.use == "used"] == used


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The Pro Max starts at $1,199.", "The Pro Max starts at $1,499."),
        ("Mount Everest is 8,849 m tall.", "Mount Everest is 8,611 m tall."),
        ("Take 1,200 mg.", "Take 1 mg."),
        ("Take 1 mg.", "Take 1,200 mg."),
        ("Acme was founded in 1998 in Boston.", "Acme was founded in 1999."),
    ],
)
def test_another_value_is_a_conflict(source: str, claim: str) -> None:
    """A thousands sign does not loosen a number: the second reading of 1,200 is 1.2, with the slack of 1.200."""
    (one,) = evaluate(read_run({"contexts": [source], "answer": claim})).claims
    assert one.verdict == "conflict"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Acme was founded in 1998 in Boston. It has 500 employees.", "Acme was acquired in 2015."),
        ("Acme was founded in 1998 in Boston. It has 500 employees.", "Acme moved to Chicago in 2001."),
        ("Acme was founded in 1998 in Boston. It has 500 employees.", "Acme is not listed."),
        ("Acme was founded in 1998 in Boston.", "Acme was founded before 2000."),
        ("Acme has 500 employees.", "Acme has more than 400 employees."),
        ("Jane Roe was CEO of Acme from 2012 to 2018.", "Jane Roe was CEO of Acme in 2015."),
        ("The museum is closed on 24, 25 and 31 December every year.", "The museum is closed on 24 December."),
        ("The Eiffel Tower was completed in 1889.", "The Eiffel Tower was painted in 2010."),
        ("Refunds are not available after 14 days.", "Refunds are available within 14 days."),
        ("Smoking is forbidden on campus.", "Smoking is not permitted on campus."),
        ("Metformin lowers blood sugar.", "Metformin is not an insulin."),
        ("The X100 lasts up to 12 hours on a charge.", "The X200 lasts up to 18 hours on a charge."),
        ("Inflation was 3.1% in 2021.", "Inflation was 4.2% in 2022."),
    ],
)
def test_what_may_hold_beside_the_source_is_no_conflict(source: str, claim: str) -> None:
    """Another event of the same subject, a bound, a year within a span, the same in other words."""
    evaluation = evaluate(read_run({"contexts": [source], "answer": claim}))
    assert [one.verdict == "conflict" for one in evaluation.claims] == [False]
    assert [chunk.conflict for chunk in evaluation.chunks] == [False]
