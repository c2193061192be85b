"""How answers cite: one row a habit. What is a citation, what does it point to, and what only looks like one?"""

from typing import Any, NamedTuple

import pytest

from rag_eval_hooks.attribution import attribute
from rag_eval_hooks.record import read_run

TEXTS = ("The lobby opens at 7:00.", "The pool opens at 9:00.", "The gym opens at 6:00.")
LOBBY, POOL, GYM = TEXTS


def items(*metadata: dict[str, Any], ids: tuple[str, ...] = ("c1", "c2", "c3")) -> list[dict[str, Any]]:
    """Three items, in order lobby, pool, gym; the first get this metadata."""
    given = [*metadata, {}, {}, {}]
    return [
        {"id": name, "text": text, "metadata": given[place]}
        for place, (name, text) in enumerate(zip(ids, TEXTS, strict=True))
    ]


PLAIN = items()
FILES = items({"source": "docs/rules.pdf"}, {"source": "docs/pool_rules.pdf"}, {"source": "https://club.org/gym/"})
PAGES = [
    {"id": "p1", "text": LOBBY, "metadata": {"source": "house.pdf", "page_label": "3"}},
    {"id": "p2", "text": POOL, "metadata": {"source": "house.pdf", "page_label": "7"}},
    {"id": "p3", "text": GYM, "metadata": {"source": "other.pdf", "page": 0}},
]
PAPERS = items(
    {"author": "Jane Smith", "year": 2020},
    {"authors": ["Li Wei", "Ann O'Hara"], "publication_date": "2019-04-01"},
    {"author": "García, María; Jones, Tom", "year": "2021"},
)
CHINESE = [
    {"id": "z1", "text": "大堂七点开门。", "metadata": {"source": "规定.pdf"}},
    {"id": "z2", "text": "泳池九点开门。", "metadata": {"source": "泳池.pdf"}},
]


class Habit(NamedTuple):
    """One way of citing, or of not citing."""

    name: str
    answer: str
    expected: list[tuple[str, str | None]]
    contexts: list[dict[str, Any]] = PLAIN
    question: str = "When does it open?"


HABITS = [
    # Numbers in square brackets
    Habit("number", "The lobby opens at 7:00 [1].", [("[1]", "c1")]),
    Habit("number without a blank", "The pool opens at 9:00[2].", [("[2]", "c2")]),
    Habit("number behind the stop", "The pool opens at 9:00.[2]", [("[2]", "c2")]),
    Habit("side by side", "Both open early [1][2].", [("[1]", "c1"), ("[2]", "c2")]),
    Habit("group", "Both open early [1, 3].", [("[1, 3]", "c1"), ("[1, 3]", "c3")]),
    Habit("group with semicolon", "Both open early [1; 3].", [("[1; 3]", "c1"), ("[1; 3]", "c3")]),
    Habit("range", "All open early [1-3].", [("[1-3]", "c1"), ("[1-3]", "c2"), ("[1-3]", "c3")]),
    Habit("range with an en dash", "They open early [2–3].", [("[2–3]", "c2"), ("[2–3]", "c3")]),
    Habit("range and number", "Open [1-2, 3].", [("[1-2, 3]", "c1"), ("[1-2, 3]", "c2"), ("[1-2, 3]", "c3")]),
    Habit("range beyond the items", "Open early [2-5].", [("[2-5]", "c2"), ("[2-5]", "c3"), ("[2-5]", None)]),
    Habit("no such number", "The lobby opens at 7:00 [9].", [("[9]", None)]),
    Habit("zero", "The lobby opens at 7:00 [0].", [("[0]", None)]),
    Habit("only citations", "[1][2][7]", [("[1]", "c1"), ("[2]", "c2"), ("[7]", None)]),
    Habit("full width brackets", "大堂七点开门［1］。", [("［1］", "z1")], CHINESE),
    # Footnotes
    Habit("footnote", "The pool opens at 9:00.[^2]\n\n[^2]: pool rules", [("[^2]", "c2")]),
    Habit("footnote to a file", "It opens at 9:00.[^1]\n\n[^1]: pool_rules.pdf", [("[^1]", "c2")], FILES),
    Habit("footnote to an address", "It opens at 6:00.[^a]\n\n[^a]: https://club.org/gym", [("[^a]", "c3")], FILES),
    Habit("footnote to an id", "It opens at 9:00.[^x]\n\n[^x]: c2", [("[^x]", "c2")]),
    Habit(
        "footnotes, one to no item",
        "It opens at 7:00.[^1] It opens at 8:00.[^2]\n\n[^1]: rules.pdf\n[^2]: ghost.pdf",
        [("[^1]", "c1"), ("[^2]", None)],
        FILES,
    ),
    Habit("doubled caret", "The pool opens at 9:00 [^2^].", [("[^2^]", "c2")]),
    # Lists of sources
    Habit("legend in free words", "It opens at 7:00 [1].\n\nSources:\n[1] House rules", [("[1]", "c1")]),
    Habit(
        "legend with its own numbers",
        "The pool opens at 9:00 [1]. The lobby opens at 7:00 [2].\n\nSources:\n[1] pool_rules.pdf\n[2] rules.pdf",
        [("[1]", "c2"), ("[2]", "c1")],
        FILES,
    ),
    Habit("legend in a line", "The pool opens at 9:00 [1].\n\nSources: [1] pool_rules.pdf", [("[1]", "c2")], FILES),
    Habit(
        "legend with a link",
        "The gym opens at 6:00 [1].\n\n## References\n1. [Gym](https://club.org/gym)",
        [("[1]", "c3")],
        FILES,
    ),
    Habit("German legend", "Das Bad öffnet um 9:00 [1].\n\nQuellen:\n- [1] pool_rules.pdf", [("[1]", "c2")], FILES),
    Habit("Chinese legend", "泳池九点开门[1]。\n\n参考资料：\n[1] 泳池.pdf", [("[1]", "z2")], CHINESE),
    Habit("legend with pages", "It opens at 9:00 [1].\n\nSources:\n[1] house.pdf, p. 7", [("[1]", "p2")], PAGES),
    # Lenticular brackets
    Habit("lenticular", "The pool opens at 9:00【2】.", [("【2】", "c2")]),
    Habit("lenticular with dagger", "The pool opens at 9:00【2†source】.", [("【2†source】", "c2")]),
    Habit("dagger and file", "It opens at 9:00【4:0†pool_rules.pdf】.", [("【4:0†pool_rules.pdf】", "c2")], FILES),
    Habit("assistant's pair", "The lobby opens at 7:00【4:0†source】.", [("【4:0†source】", "c1")]),
    Habit("lenticular with a word", "泳池九点开门【来源2】。", [("【来源2】", "z2")], CHINESE),
    # Round brackets
    Habit("round", "The lobby opens at 7:00 (1). The pool opens at 9:00 (2).", [("(1)", "c1"), ("(2)", "c2")]),
    Habit(
        "round behind the stop", "The lobby opens at 7:00. (1) The pool, at 9:00. (2)", [("(1)", "c1"), ("(2)", "c2")]
    ),
    Habit("round before a conjunction", "It opens at 7:00 (1) and closes late (2).", [("(1)", "c1"), ("(2)", "c2")]),
    Habit("round group", "Both open early (1, 2).", [("(1, 2)", "c1"), ("(1, 2)", "c2")]),
    Habit("round in full width", "大堂七点开门（1）。", [("（1）", "z1")], CHINESE),
    Habit("round beside square", "The lobby (1) opens at 7:00 [1].", [("[1]", "c1")]),
    Habit("round counts steps", "(1) Open the lid, (2) wait, (3) close it.", []),
    Habit("round counts in a sentence", "You need: (1) a towel; (2) a ticket.", []),
    Habit("round counts lines", "(1) Open the lid.\n(2) Wait.", []),
    Habit("round repeats a number word", "It closes in two (2) hours.", []),
    Habit("round year", "The lobby was built by the club (2020).", []),
    Habit("round call", "Call f(1) first.", []),
    # Superscripts
    Habit(
        "superscript behind a stop", "The lobby opens at 7:00.¹ The pool opens at 9:00.²", [("¹", "c1"), ("²", "c2")]
    ),
    Habit("superscript behind a word", "The pool opens at nine² and closes late.", [("²", "c2")]),
    Habit("superscripts together", "Both open early.¹˒²", [("¹˒²", "c1"), ("¹˒²", "c2")]),
    Habit("superscript in Chinese", "泳池九点开门²。", [("²", "z2")], CHINESE),
    Habit("exponents", "A hall of 40 m² holds x³ seats and 10² lamps.", []),
    # Words and ids
    Habit("doc id", "The lobby opens at 7:00 [doc:c1].", [("[doc:c1]", "c1")]),
    Habit("doc id unknown", "The lobby opens at 7:00 [doc:zzz].", [("[doc:zzz]", None)]),
    Habit("doc ids", "Both open early [doc:c1, doc:c2].", [("[doc:c1, doc:c2]", "c1"), ("[doc:c1, doc:c2]", "c2")]),
    Habit("doc number", "The pool opens at 9:00 [doc2].", [("[doc2]", "c2")]),
    Habit("Source in brackets", "The pool opens at 9:00 [Source 2].", [("[Source 2]", "c2")]),
    Habit(
        "Sources in brackets", "Early [Sources 1 and 2].", [("[Sources 1 and 2]", "c1"), ("[Sources 1 and 2]", "c2")]
    ),
    Habit("id in brackets", "The pool opens at 9:00 [c2].", [("[c2]", "c2")]),
    Habit("id in round brackets", "The pool opens at 9:00 (c2).", [("(c2)", "c2")]),
    Habit("id in running text", "According to c2, the pool opens at 9:00.", [("c2", "c2")]),
    Habit("citation needed", "The lobby opens at 7:00 [citation needed].", []),
    Habit("brackets with words", "The lobby [sic] opens at 7:00 [emphasis added].", []),
    Habit("a checkbox", "- [x] The lobby opens at 7:00.", []),
    # Files and pages
    Habit("file", "It opens at 9:00 [pool_rules.pdf].", [("[pool_rules.pdf]", "c2")], FILES),
    Habit("file in other case", "It opens at 9:00 [Pool_Rules.PDF].", [("[Pool_Rules.PDF]", "c2")], FILES),
    Habit("file and page", "Opens at 9:00 [source: house.pdf, p. 7].", [("[source: house.pdf, p. 7]", "p2")], PAGES),
    Habit("page counted from 0", "It opens at 6:00 [other.pdf, p. 1].", [("[other.pdf, p. 1]", "p3")], PAGES),
    Habit(
        "page not among the items",
        "It opens at 7:00 [source: house.pdf, p. 9].",
        [("[source: house.pdf, p. 9]", None)],
        PAGES,
    ),
    Habit("file alone: the chunk that backs it", "The pool opens at 9:00 [house.pdf].", [("[house.pdf]", "p2")], PAGES),
    Habit("page in an address", "It opens at 9:00 [house.pdf#page=7].", [("[house.pdf#page=7]", "p2")], PAGES),
    Habit(
        "file in round brackets",
        "It opens at 9:00 (Source: pool_rules.pdf).",
        [("(Source: pool_rules.pdf)", "c2")],
        FILES,
    ),
    Habit("file in running text", "As pool_rules.pdf says, it opens at 9:00.", [("pool_rules.pdf", "c2")], FILES),
    Habit("file unknown", "It opens at 9:00 [source: ghost.pdf].", [("[source: ghost.pdf]", None)], FILES),
    Habit("German page", "Es öffnet um 9:00 [Quelle: house.pdf, S. 7].", [("[Quelle: house.pdf, S. 7]", "p2")], PAGES),
    Habit("Chinese page", "泳池九点开门[来源：泳池.pdf]。", [("[来源：泳池.pdf]", "z2")], CHINESE),
    Habit("a file that was asked for", "Open pool_rules.pdf first.", [], FILES, "What is in pool_rules.pdf?"),
    Habit(
        "a title that the text is about",
        "The iPhone 15 and Node.js are new.",
        [],
        [
            {"id": "a1", "text": "The iPhone 15 is new.", "metadata": {"title": "iPhone 15"}},
            {"id": "a2", "text": "Node.js is new.", "metadata": {"title": "Node.js"}},
        ],
    ),
    Habit(
        "an id that the text is about",
        "The GPT-4 is new (GPT-4).",
        [],
        [{"id": "GPT-4", "text": "The GPT-4 is new.", "metadata": {}}],
    ),
    # Authors
    Habit("author and year", "The lobby opens at 7:00 (Smith 2020).", [("(Smith 2020)", "c1")], PAPERS),
    Habit("author et al.", "The pool opens at 9:00 (Li et al., 2019).", [("(Li et al., 2019)", "c2")], PAPERS),
    Habit("two authors", "The gym opens at 6:00 (García & Jones, 2021).", [("(García & Jones, 2021)", "c3")], PAPERS),
    Habit("author in the sentence", "Smith (2020) says the lobby opens at 7:00.", [("Smith (2020)", "c1")], PAPERS),
    Habit("author in square brackets", "The lobby opens at 7:00 [Smith, 2020].", [("[Smith, 2020]", "c1")], PAPERS),
    Habit(
        "authors, one of no item",
        "Open (Smith 2020; Brown 2018).",
        [("(Smith 2020; Brown 2018)", "c1"), ("(Smith 2020; Brown 2018)", None)],
        PAPERS,
    ),
    Habit("author without metadata", "The lobby opens at 7:00 (Smith 2020).", []),
    Habit("a month and a year", "The lobby opened late (May 2020).", [], PAPERS),
    # Links and addresses
    Habit("linked number", "It opens at 7:00 [[1]](https://example.org/a).", [("[[1]]", "c1")]),
    Habit("linked number, single", "It opens at 7:00 [1](https://example.org/a).", [("[1]", "c1")]),
    Habit("linked number to another item", "It opens at 6:00 [1](https://club.org/gym).", [("[1]", "c3")], FILES),
    Habit(
        "link to an item",
        "The gym opens at 6:00 ([source](https://club.org/gym)).",
        [("[source](https://club.org/gym)", "c3")],
        FILES,
    ),
    Habit(
        "link over the words",
        "[The gym opens at 6:00](https://club.org/gym).",
        [("[The gym opens at 6:00](https://club.org/gym)", "c3")],
        FILES,
    ),
    Habit("link elsewhere", "See [the page](https://example.org).", [], FILES),
    Habit("address", "The gym opens at 6:00: https://club.org/gym.", [("https://club.org/gym", "c3")], FILES),
    Habit("address elsewhere", "The gym opens at 6:00: https://example.org.", [], FILES),
    Habit("address that was asked for", "It is https://club.org/gym.", [], FILES, "What is https://club.org/gym?"),
    # Tags
    Habit("cite tag", "The pool opens at 9:00 <cite>2</cite>.", [("<cite>2</cite>", "c2")]),
    Habit("cite tag with id", 'The pool opens at 9:00 <cite id="2"/>.', [('<cite id="2"/>', "c2")]),
    Habit(
        "cite tag around the words",
        '<cite source="pool_rules.pdf">The pool opens at 9:00.</cite>',
        [('<cite source="pool_rules.pdf">', "c2")],
        FILES,
    ),
    Habit("ref tag", "The pool opens at 9:00 <ref>[2]</ref>.", [("<ref>[2]</ref>", "c2")]),
    Habit("sup tag", "The pool opens at 9:00.<sup>2</sup>", [("<sup>2</sup>", "c2")]),
    Habit("sup tag of a unit", "A hall of 40 m<sup>2</sup> and 10<sup>3</sup> lamps.", []),
    Habit("tag of nothing", 'The pool opens at 9:00 <cite id="zz9"/>.', [('<cite id="zz9"/>', None)]),
    # Source n, as LlamaIndex's prompt asks for
    Habit("Source in text", "According to Source 2, the pool opens at 9:00.", [("Source 2", "c2")]),
    Habit("Source with colon", "Source 2: the pool opens at 9:00.", [("Source 2", "c2")]),
    Habit("Source in round brackets", "The pool opens at 9:00 (Source 2).", [("(Source 2)", "c2")]),
    Habit("Sources in text", "Sources 1 and 2 agree on it.", [("Sources 1 and 2", "c1"), ("Sources 1 and 2", "c2")]),
    Habit("Source of nothing", "Source 8 says that it opens at 9:00.", [("Source 8", None)]),
    Habit("German source", "Laut Quelle 2 öffnet das Bad um 9:00.", [("Quelle 2", "c2")]),
    Habit("Chinese source", "根据来源2，泳池九点开门。", [("来源2", "z2")], CHINESE),
    Habit("another document 12", "Document 12 of the contract is lost.", []),
    Habit("several sources", "There are 3 sources and 2 documents.", []),
    # No citations
    Habit("index", "The first value is a[0], then x[1].", []),
    Habit("index of a long name", "Read sys_argv[1] and rowCount[2].", []),
    Habit("inline code", "It is `vals[1]`.", []),
    Habit("fenced code", "Open it.\n```\nx = [1]\n```", []),
    Habit("array", "Set x = [1, 2] first.", []),
    Habit("argument", "Call sum([1, 2]) first.", []),
    Habit("interval", "It lies in the range [1, 3].", []),
    Habit("interval from zero", "The score is in [0, 1].", []),
    Habit("year", "In [2023] it opened.", []),
    Habit("years", "The figures [2019, 2021] and [2010-2015] differ.", []),
    Habit("array in JSON", 'It is {"hours": [1, 2]} there.', []),
    Habit("sum of arrays", "In Python, [1] + [2] makes one list.", []),
    Habit("index in maths", "The value $a_{[1]}$ is small.", []),
    Habit("telephone number", "The lobby has a phone. (1) 40 123", []),
    Habit("range of two marks", "The pool opens at 9:00 [1]-[2].", [("[1]", "c1"), ("[2]", "c2")]),
    Habit("quoted text", 'It says "hedges [2] lower noise" there.', []),
    Habit("quoted text with its own end", "It says “hedges lower noise [12].”", []),
    Habit("list numbers", "1. The lobby opens.\n2) The pool opens.", []),
    Habit("reasoning", "<think>Maybe [2]?</think>The lobby opens at 7:00 [1].", [("[1]", "c1")]),
    # Places
    Habit("mark first", "[2] says the pool opens at 9:00.", [("[2]", "c2")]),
    Habit("whole answer quoted", '"The pool opens at 9:00 [2]."', [("[2]", "c2")]),
    Habit("quotation closed behind its mark", "“The pool opens at 9:00 [2].” So it is.", [("[2]", "c2")]),
    Habit("list items", "- Lobby: 7:00 [1]\n- Pool: 9:00 [2]", [("[1]", "c1"), ("[2]", "c2")]),
    Habit("table", "| Hall | Time |\n|---|---|\n| Lobby | 7:00 [1] |", [("[1]", "c1")]),
    Habit("bold", "The lobby opens at 7:00 **[1]**.", [("[1]", "c1")]),
    Habit("Japanese", "プールは九時に開きます[2]。", [("[2]", "c2")]),
    Habit("Korean", "수영장은 9시에 엽니다[2].", [("[2]", "c2")]),
    Habit("Arabic", "يفتح المسبح في التاسعة [2].", [("[2]", "c2")]),
    Habit("Spanish", "Según [2], la piscina abre a las 9:00.", [("[2]", "c2")]),
    Habit("French", "La piscine ouvre à 9:00 [2].", [("[2]", "c2")]),
]


@pytest.mark.parametrize("habit", [pytest.param(habit, id=habit.name) for habit in HABITS])
def test_habit(habit: Habit) -> None:
    run = read_run({"question": habit.question, "contexts": habit.contexts, "answer": habit.answer})
    citations = attribute(run).citations
    assert [(one.marker, one.target) for one in citations] == habit.expected
    for one in citations:
        assert one.exists == (one.target is not None)
        assert (one.problem == "dangling") == (one.target is None)
        assert habit.answer[slice(*one.span)] == one.marker
