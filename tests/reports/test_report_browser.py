"""The page in a real browser: what a click shows, and that no text from outside does anything."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from report_samples import TEXTS, finding, first, poisoned, sample_evaluation, sample_run
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.ui import WebDriverWait

from rag_eval_hooks.record import MetricResult
from rag_eval_hooks.reports import write_report

pytestmark = pytest.mark.browser

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --window-size=1280,1000"
).split()

PAYLOADS = [
    "<script>window.pwned=1</script>",
    "<img src=x onerror='window.pwned=1'>",
    "<style>*{display:none !important}</style>",
    '"\' onmouseover="window.pwned=1" x=\'',
    "</script><script>window.pwned=1</script>",
    "</title></style><svg onload=window.pwned=1>",
    "<!--<script>",
    "{{7*7}} {% raw %} ${7*7} `",
    "javascript:window.pwned=1",
    "\u2028window.pwned=1\u2029//",
    "\u202egnp.exe\u202c",
    "\x00\x1b[31m\x07\x9b",
    "__proto__",
    "constructor",
    "]]><a href='data:text/html,x'>x</a>&lt;b&gt;",
    "\\u003cscript\\u003e \\",
]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        why = "Chromium or its driver is missing: apt-get install -y chromium chromium-driver"
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    try:
        still = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", still)
        yield browser
    finally:
        browser.quit()


@pytest.fixture
def browser(driver: webdriver.Chrome) -> Iterator[webdriver.Chrome]:
    """The browser; whatever a test did, the console must have stayed silent."""
    driver.get("about:blank")
    driver.get_log("browser")
    yield driver
    assert driver.get_log("browser") == []


def opened(browser: webdriver.Chrome, path: Path, fragment: str = "") -> None:
    browser.get("about:blank")
    browser.get(path.as_uri() + fragment)


def all_of(browser: webdriver.Chrome | WebElement, selector: str) -> list[WebElement]:
    return browser.find_elements(By.CSS_SELECTOR, selector)


def click(browser: webdriver.Chrome, selector: str, place: int = 0) -> None:
    """Clicks as a person does, at the middle of what is seen."""
    target = all_of(browser, selector)[place]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", target)
    target.click()


def arrived(browser: webdriver.Chrome, selector: str) -> None:
    """Waits until an element is seen: a link within the page takes effect after the click has returned."""
    WebDriverWait(browser, 20, poll_frequency=0.02).until(
        expected_conditions.visibility_of_element_located((By.CSS_SELECTOR, selector))
    )


def texts(browser: webdriver.Chrome, selector: str) -> list[str]:
    return [str(node.get_property("textContent")) for node in all_of(browser, selector)]


def visible_rows(browser: webdriver.Chrome) -> list[str]:
    return texts(browser, ".rows .q")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of each sort: with findings, refused, failed, without its record, and with a low ContextPrecision."""

    def measured(value: float | None, reason: str | None = None) -> Any:
        return (MetricResult(metric="ContextPrecision", value=value, reason=reason, labels="used"),)

    empty: dict[str, Any] = {"claims": (), "citations": (), "findings": ()}
    pairs = [
        (sample_run("full"), sample_evaluation("full")),
        (None, sample_evaluation("bare", question="Without record", findings=(), results=measured(0.9))),
        (
            sample_run("refused", tags=("hr",)),
            sample_evaluation(
                "refused",
                question="Refused",
                answer="I do not know.",
                answer_kind="refusal",
                results=measured(None, "refusal"),
                **(empty | {"findings": (finding("right_refusal", "answer", 0.9, "Rightly."),)}),
            ),
        ),
        (
            sample_run("failed", status="error"),
            sample_evaluation(
                "failed",
                question="Failed",
                status="error",
                answer=None,
                answer_kind="empty",
                results=measured(None, "incomplete_run"),
                **empty,
            ),
        ),
        (sample_run("low"), sample_evaluation("low", question="Low precision", findings=(), results=measured(0.25))),
    ]
    path = tmp_path_factory.mktemp("report") / "report.html"
    assert write_report(pairs, path, title="Sample") == 5
    return path


def test_a_click_on_a_claim_shows_its_places_in_the_chunks(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-0")
    assert texts(browser, "mark.on") == []
    click(browser, ".claim", 1)
    assert texts(browser, "mark.on") == ["5.2 million euros", ", up from 4.64 million", "Growth of 12 % against 2022"]
    assert [rank.removeprefix("Chunk ") for rank in texts(browser, ".chunk.on .rank")] == ["1", "3"]
    assert all_of(browser, ".claim.on")[0].get_attribute("aria-pressed") == "true"
    assert "Claim 2: supported" in texts(browser, ".panel")[0]
    click(browser, ".claim", 1)
    assert texts(browser, "mark.on, .chunk.on, .claim.on") == []


def test_a_click_on_a_chunk_shows_its_claims(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-0")
    click(browser, ".chunk-head", 2)
    assert [text.partition(": ")[2] for text in texts(browser, ".claim.on")] == [
        "That is 12 % more than in the year before",
        "The growth came mainly from the cloud business",
    ]
    assert texts(browser, "mark.on") == ["Growth of 12 % against 2022", "was driven by cloud subscriptions"]


def test_a_conflict_leads_to_the_chunk_against_it(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-0")
    click(browser, ".claim.conflict")
    assert texts(browser, ".chunk.on .id") == ["hr-note-7"]
    assert "Contradicted by chunk 4" in texts(browser, ".panel")[0]


def test_a_citation_says_why_it_fails(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-0")
    assert [text.partition(" (")[0] for text in texts(browser, ".cite.bad")] == ["[2]", "[4]", "[9]"]
    click(browser, ".cite.bad", 0)
    assert "does not hold: another chunk backs the statement" in texts(browser, ".panel")[0]
    assert texts(browser, ".chunk.on .id") == ["press-2023-03"]


def test_the_keyboard_reaches_and_selects_a_claim(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-0")
    for _ in range(60):  # the story's numbers come before
        browser.switch_to.active_element.send_keys(Keys.TAB)
        if "claim" in (browser.switch_to.active_element.get_attribute("class") or ""):
            break
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert texts(browser, "mark.on") == ["In 2023 revenue rose to ", "5.2 million euros"]
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert texts(browser, "mark.on") == []


def test_a_finding_leads_to_what_it_is_about(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-0")
    click(browser, ".run-findings li:nth-child(2) .ref")
    assert [text.partition(" (")[0] for text in texts(browser, ".cite.on")] == ["[9]"]


def test_the_story_stands_above_the_details(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-0")
    assert texts(browser, ".story dt") == [
        "What came back", "What reached the prompt", "What was used", "What the answer says", "Citations",
        "What failed first", "What follows from it", "What stands on its own", "Not checked",
    ]  # fmt: skip
    assert texts(browser, ".story dd")[0] == 'The search "bm25" returned 5 chunks; reranking returned 5 chunks.'
    assert texts(browser, ".story .cause dd")[0].startswith(
        "Claim contradicts the context (answer; claim 4; chunk 4; confidence 0.90): Another number: claims 3. What"
    )
    below = "return arguments[0].getBoundingClientRect().bottom <= arguments[1].getBoundingClientRect().top"
    assert browser.execute_script(below, all_of(browser, ".story")[0], all_of(browser, ".columns")[0])


def test_a_number_of_the_story_leads_to_what_it_names(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-0")
    assert all_of(browser, ".story .cause .ref")[0].get_attribute("aria-label") == "claim 4"
    click(browser, ".story .cause .ref")
    assert texts(browser, ".claim.on .heard") == ["Claim 4, contradicted: "]
    click(browser, ".story .cause .ref", 1)
    assert texts(browser, ".chunk.on .id") == ["hr-note-7"]


def test_the_first_cause_is_marked_and_what_follows_says_so(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page)
    assert texts(browser, ".rows .tag.finding.cause") == ["First cause: Claim contradicts the context"]
    opened(browser, page, "#run-0")
    assert texts(browser, ".run-findings .first .tag.cause") == ["first cause"]
    assert texts(browser, ".run-findings .follows") == ["Follows from: claim contradicts the context"]
    opened(browser, page, "#run-2")
    assert texts(browser, ".story .good dt") == ["Nothing failed"]
    assert texts(browser, ".story .cause, .run-findings .cause, .follows") == []


def test_the_order_by_first_cause_groups_the_runs(browser: webdriver.Chrome, tmp_path: Path) -> None:
    kinds: list[Any] = ["truncated", None, "zero_recall", "truncated", None, "zero_recall", "zero_recall"]
    write_report(
        [
            (None, sample_evaluation(str(place), question=f"{place} {kind}", findings=causes))
            for place, kind in enumerate(kinds)
            for causes in [() if kind is None else (first(finding(kind, "retrieval", 1, "So.")),)]
        ],
        tmp_path / "r.html",
    )
    opened(browser, tmp_path / "r.html")
    click(browser, "#f-sort option[value='cause']")
    assert visible_rows(browser) == [
        "2 zero_recall", "5 zero_recall", "6 zero_recall", "0 truncated", "3 truncated", "1 None", "4 None",
    ]  # fmt: skip


def test_verdicts_are_told_without_colour(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-0")
    marks = [node.get_attribute("data-mark") for node in all_of(browser, ".claim")]
    assert marks == ["✓1", "✓2", "?3", "≠4", "✗5", "·6"]
    assert texts(browser, ".claim .heard")[3] == "Claim 4, contradicted: "


def test_chunks_show_their_use(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-0")
    assert texts(browser, ".chunk-head .use") == [
        "● used0.98",
        "○ not used0.04",
        "● used0.90",
        "◐ perhaps used0.50",
        "○ not used0",
    ]
    assert texts(browser, ".divider") == ["Retrieved, but not in the prompt"]
    assert texts(browser, ".text") == [text for _, text in TEXTS]


def test_without_the_record_the_page_says_so(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-1")
    assert "chunks' texts are not shown" in texts(browser, "#run .notice")[0]
    assert texts(browser, ".chunk .text") == []
    click(browser, ".claim", 1)
    assert len(all_of(browser, ".chunk.on")) == 2


def test_a_share_in_the_list_is_never_a_false_0_or_1(browser: webdriver.Chrome, tmp_path: Path) -> None:
    values = (0.99999, 0.00001, 1.0, 0.0, 5 / 6)
    results = [(MetricResult(metric="ContextPrecision", value=value, labels="used"),) for value in values]
    write_report([(None, sample_evaluation(results=one)) for one in results], tmp_path / "r.html")
    opened(browser, tmp_path / "r.html")
    shown = texts(browser, ".rows .quiet[title=ContextPrecision]")
    assert shown == ["CP >0.9999", "CP <0.0001", "CP 1", "CP 0", "CP 0.8333"]


def test_what_the_user_did_not_see_is_said_below_the_answer(browser: webdriver.Chrome, tmp_path: Path) -> None:
    run = sample_run(status="abandoned", answer="Revenue", llm_text=sample_evaluation().answer, llm_complete=True)
    write_report([(run, sample_evaluation(status="abandoned"))], tmp_path / "r.html")
    opened(browser, tmp_path / "r.html", "#run-0")
    assert texts(browser, ".answer-side .notice") == [
        "Judged is the model's whole text, 242 characters; the user saw only the first 7."
    ]


def test_a_missing_number_is_not_a_zero(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-3")
    assert texts(browser, ".measures summary") == []
    assert texts(browser, ".missing") == ["n/a, the run did not finish, so its answer is not judged: ContextPrecision"]


@pytest.mark.parametrize(
    ("field", "choice", "expected"),
    [
        ("cause", "conflicting_claim", ["How did revenue develop in 2023, and what drove it?"]),
        ("cause", "*", ["How did revenue develop in 2023, and what drove it?"]),
        ("cause", "-", ["Without record", "Refused", "Failed", "Low precision"]),
        ("finding", "dangling_citation", ["How did revenue develop in 2023, and what drove it?"]),
        ("finding", "-", ["Without record", "Failed", "Low precision"]),
        ("kind", "refusal", ["Refused"]),
        ("status", "error", ["Failed"]),
        ("tag", "hr", ["Refused"]),
    ],
)
def test_the_list_filters(browser: webdriver.Chrome, page: Path, field: str, choice: str, expected: list[str]) -> None:
    opened(browser, page)
    assert len(visible_rows(browser)) == 5
    click(browser, f"#f-{field} option[value='{choice}']")
    assert visible_rows(browser) == expected
    assert texts(browser, ".matches") == [f"{len(expected)} of 5 runs match"]
    click(browser, "#f-clear")
    assert len(visible_rows(browser)) == 5


def test_low_precision_and_text_filter_and_order(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page)
    click(browser, "#f-low")
    assert visible_rows(browser) == ["Low precision"]
    click(browser, "#f-clear")
    all_of(browser, "#f-text")[0].send_keys("do not KNOW")
    assert visible_rows(browser) == ["Refused"]
    click(browser, "#f-clear")
    click(browser, "#f-sort option[value='low:ContextPrecision']")
    assert [row[:7] for row in visible_rows(browser)] == ["Low pre", "How did", "Without", "Refused", "Failed"]


def test_a_first_cause_opens_its_runs_and_a_run_leads_back(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page)
    question = "How did revenue develop in 2023, and what drove it?"
    click(browser, "button.kind[data-kind='conflicting_claim']")
    assert visible_rows(browser) == [question]
    assert all_of(browser, "#f-cause")[0].get_property("value") == "conflicting_claim"
    click(browser, ".rows a")
    arrived(browser, "#run h1")
    assert texts(browser, "#run h1") == [question]
    browser.back()
    arrived(browser, "#overview")
    assert visible_rows(browser) == [question], "the filter is kept"
    assert not all_of(browser, "#run")[0].is_displayed()


def test_nothing_is_requested(browser: webdriver.Chrome, page: Path) -> None:
    opened(browser, page, "#run-0")
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


@pytest.mark.parametrize("fragment", ["", "#run-0"])
def test_a_phone_needs_no_sideways_scrolling(browser: webdriver.Chrome, page: Path, fragment: str) -> None:
    metrics = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        opened(browser, page, fragment)
        assert browser.execute_script("return document.documentElement.scrollWidth") == 360
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("payload", PAYLOADS)
def test_text_from_outside_is_only_text(browser: webdriver.Chrome, tmp_path: Path, payload: str) -> None:
    write_report([poisoned(payload)], tmp_path / "r.html", title=payload)
    opened(browser, tmp_path / "r.html")
    rows = texts(browser, ".rows .q")
    click(browser, ".rows a")
    arrived(browser, "#run h1")
    for selector in (".claim", ".cite", ".chunk-head", ".run-findings .ref", ".cite-row", "mark"):
        browser.execute_script("document.querySelector(arguments[0]).click()", selector)
    browser.execute_script("for (const node of document.querySelectorAll('details')) node.open = true")
    shown = {
        "row": rows[0],
        "question": texts(browser, "#run h1")[0],
        "answer": "".join(texts(browser, ".answer")),
        "chunk": texts(browser, ".chunk .text")[0],
        "chunk id": texts(browser, ".chunk .id")[0],
        "source": texts(browser, ".chunk .source bdi")[0],
        "stage": texts(browser, ".chunk .trail bdi")[0],
        "chunk metadata": texts(browser, ".chunk .pairs dd")[0],
        "chunk metadata key": texts(browser, ".chunk .pairs dt")[0],
        "marker": texts(browser, ".citations .id")[0],
        "why": texts(browser, ".run-findings p")[1],
        "refs": texts(browser, ".run-findings .refs bdi")[0],
        "measure": texts(browser, ".measures .name")[0],
        "gold": texts(browser, ".gold bdi")[0],
        "facts": " ".join(texts(browser, ".facts dd")),
        "run metadata": texts(browser, ".below .pairs dd")[0],
    }
    assert [name for name, text in shown.items() if payload not in text] == []
    told = texts(browser, ".story .said")
    assert len(told) == 4, "step, chunk, mark, why"
    assert all(" ".join(payload.split()) in text for text in told), "the story puts each on one line"
    assert browser.execute_script("return window.pwned") is None
    assert (
        browser.execute_script("return document.querySelectorAll('img, iframe, svg[onload], a[href^=data]').length")
        == 0
    )
    assert browser.execute_script("return document.querySelectorAll('style, script:not([type])').length") == 2
    assert all_of(browser, "#run h1")[0].is_displayed()


def test_an_override_of_direction_is_shown_by_its_code(browser: webdriver.Chrome, tmp_path: Path) -> None:
    write_report([poisoned("invoice\u202efdp.exe")], tmp_path / "r.html")
    opened(browser, tmp_path / "r.html", "#run-0")
    box = all_of(browser, "#run h1 .hidden-char")[0]
    assert box.get_attribute("data-code") == "U+202E"
    isolated = "return getComputedStyle(arguments[0]).unicodeBidi"
    assert browser.execute_script(isolated, box) == "isolate", "it does not turn the text after it"
