"""The page in a real browser: no error, readable in every form, usable by keyboard, whatever names hold."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from nqueens_models.bench.plan import make_case
from nqueens_models.bench.records import MeasuredRun, Status, Trial
from nqueens_models.bench.summary import Summary, summarise
from nqueens_models.instance import Instance
from tests.bench import records

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
CASES = [make_case(Instance(n)) for n in (5, 6, 7, 8)]
COUNTS = {5: 10, 6: 4, 7: 40, 8: 92}
ENGINES = ["bitmask", "sat:at_most_one=ladder", "cpsat", EVIL, "crash"]
PLAN = records.plan(CASES, ENGINES, repeat=3)


def run_of(trial: Trial) -> MeasuredRun:
    n, place = trial.case.n, ENGINES.index(trial.contender.engine)
    count = COUNTS[n]
    time = 1e-4 * (1 + place) ** 2 * 3.0**n * (1 + trial.repetition / 50)
    run = records.run(
        trial, time / 10, time, solutions=count, distinct=count, first_solution=time / count,
        samples=tuple((time * part / 10, count * part // 10) for part in range(1, 11)),
        statistics={"variables": n**2, "clauses": n**3} if place in (1, 2) else {},
    )  # fmt: skip
    if trial.contender.engine == EVIL:
        return msgspec.structs.replace(run, wrong=1, witness=tuple(range(n)), output=EVIL)
    if trial.contender.engine == "crash":
        return msgspec.structs.replace(run, status=Status.CRASH, detail=f"SIGSEGV {EVIL}")
    return run


def summary() -> Summary:
    return summarise(records.archive(PLAN, [run_of(trial) for trial in PLAN.trials()]), baseline="cpsat")


@pytest.fixture(scope="module")
def html() -> str:
    from nqueens_models.bench.page import page

    return page(summary())


def find(*names: str) -> str | None:
    return next((found for name in names if (found := shutil.which(name))), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[WebDriver]:
    selenium = pytest.importorskip("selenium")
    assert selenium
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    chromium = find("chromium", "chromium-browser", "google-chrome", "chrome")
    driver = find("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("Chromium and its driver are not installed (Debian: apt-get install chromium chromium-driver)")
    options = ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with Chrome(options=options, service=ChromeService(driver)) as chrome:
        yield chrome


@pytest.fixture
def shown(browser: WebDriver, html: str, tmp_path: Path) -> Iterator[WebDriver]:
    """The page in the browser; nothing may have been complained about at the end."""
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    browser.get(path.as_uri())
    yield browser
    assert browser.get_log("browser") == []  # type: ignore[no-untyped-call]


def cells(browser: WebDriver, column: int) -> list[str]:
    """Return the texts of a column of the table of results, as far as it is shown."""
    script = (
        "return [...document.querySelectorAll('#cells tbody tr')].filter(r => !r.hidden)"
        ".map(r => r.cells[arguments[0]].innerText.trim())"
    )
    return list(browser.execute_script(script, column))


def click(browser: WebDriver, selector: str) -> None:
    browser.execute_script("document.querySelector(arguments[0]).click()", selector)


def test_the_verdict_is_on_top(shown: WebDriver) -> None:
    banner = shown.find_element("id", "verdict")
    assert "wrong or disputed" in banner.text
    assert banner.location["y"] < 400
    assert len(cells(shown, 0)) == len(CASES) * len(ENGINES)
    assert shown.find_elements("css selector", "script[src], link[href^='http'], img[src^='http']") == []


def test_names_are_text_and_nothing_else(shown: WebDriver) -> None:
    assert EVIL in cells(shown, 1)
    assert shown.find_elements("css selector", "img") == []
    click(shown, "#run-table tbody tr:nth-child(4)")


def test_tables_are_sorted_by_a_click_and_by_the_keyboard(shown: WebDriver) -> None:
    from selenium.webdriver.common.keys import Keys

    values = "return [...document.querySelectorAll('#cells tbody tr')].map(r => r.cells[4].dataset.value)"
    button = "#cells th:nth-child(5) button"
    for key, direction in ((None, 1), (Keys.ENTER, -1), (Keys.SPACE, 1)):
        if key is None:
            click(shown, button)
        else:
            shown.find_element("css selector", button).send_keys(key)
        found = [float(v) if v else None for v in shown.execute_script(values)]
        numbers = [value for value in found if value is not None]
        assert numbers == sorted(numbers, reverse=direction < 0)
        assert found[len(numbers) :] == [None] * (len(found) - len(numbers))  # no answer: last both ways
        state = shown.find_element("css selector", "#cells th:nth-child(5)").get_attribute("aria-sort")
        assert state == ("ascending" if direction > 0 else "descending")


def test_filters_act_on_results_and_runs(shown: WebDriver) -> None:
    shown.find_element("id", "search").send_keys("ladder n=7")
    assert cells(shown, 1) == ["sat:at_most_one=ladder"]
    assert shown.find_element("id", "shown").text == "1 of 20 cells"
    assert shown.find_element("id", "page").text.endswith("of 3")
    shown.find_element("id", "search").clear()
    shown.find_element("css selector", "#verdict-filter option:nth-child(3)").click()
    assert set(cells(shown, 1)) == {"crash"}


def test_contenders_are_hidden_everywhere(shown: WebDriver) -> None:
    shown.find_element("css selector", "button.toggle[data-contender='2']").send_keys(" ")
    assert "cpsat" not in cells(shown, 1)
    series = shown.find_elements("css selector", "figure [class*='series-of-2']")
    assert series
    assert all("off" in (one.get_attribute("class") or "") for one in series)
    click(shown, "#all")
    assert "cpsat" in cells(shown, 1)
    click(shown, "#none")
    assert cells(shown, 1) == []


def test_every_run_opens_to_its_details(shown: WebDriver) -> None:
    from selenium.webdriver.common.keys import Keys

    assert shown.find_element("id", "page").text.endswith("of 60")
    click(shown, "#next")
    assert shown.find_element("id", "page").text == "51–60 of 60"
    assert shown.find_element("id", "next").get_attribute("disabled")
    button = shown.find_element("css selector", "#run-table tbody button")
    button.send_keys(Keys.ENTER)
    assert button.get_attribute("aria-expanded") == "true"
    details = shown.find_element("css selector", "#run-table tr.more").text
    assert "fingerprint" in details
    button.send_keys(Keys.ENTER)
    assert shown.find_elements("css selector", "#run-table tr.more") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground_in_both_themes(shown: WebDriver, scheme: str) -> None:
    """The contrast of WCAG 2 for text is 4.5; that of lines in plots 3."""
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    shown.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    grounds = [_variable(shown, name) for name in ("paper", "card", "faint")]
    assert (_luminance(grounds[0]) > 0.5) == (scheme == "light")
    for name in ("ink", "muted", "accent"):
        assert all(_contrast(_variable(shown, name), ground) >= 4.5 for ground in grounds), name
    for name in ("good", "bad", "warn"):
        assert _contrast(_variable(shown, name), _variable(shown, f"{name}-paper")) >= 4.5, name
    for number in range(8):
        assert _contrast(_variable(shown, f"series-{number}"), grounds[1]) >= 3, number


def _variable(browser: WebDriver, name: str) -> tuple[int, ...]:
    script = "return getComputedStyle(document.documentElement).getPropertyValue(arguments[0]).trim()"
    text = str(browser.execute_script(script, f"--{name}"))
    return tuple(int(text[i : i + 2], 16) for i in (1, 3, 5))


def _luminance(colour: tuple[int, ...]) -> float:
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_sticks_out_at_any_width(shown: WebDriver, width: int) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    shown.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    script = "return document.documentElement.scrollWidth"
    assert shown.execute_script(script) <= width


class _Elements(HTMLParser):
    """Collects identifiers and what plots are labelled by."""

    def __init__(self) -> None:
        super().__init__()
        self.identifiers: list[str] = []
        self.labels: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values: dict[str, Any] = dict(attrs)
        if "id" in values:
            self.identifiers.append(values["id"])
        if tag == "svg" and values.get("role") == "img":
            self.labels.append(values["aria-labelledby"])


def test_plots_have_titles_words_and_colours_of_both_themes(html: str) -> None:
    elements = _Elements()
    elements.feed(html)
    assert len(elements.labels) == 6  # scaling, cactus, scatter, over time, phases, model size
    assert len(set(elements.identifiers)) == len(elements.identifiers)
    for label in elements.labels:
        assert set(label.split()) <= set(elements.identifiers)
    assert "growing by" in html
    for svg in re.findall(r'<svg [^>]*role="img".*?</svg>', html, re.DOTALL):
        assert "var(--ink)" in svg
        assert re.findall(r"#0a[0-9a-f]{2}0b", svg) == []


def test_plot_files_name_what_they_show(tmp_path: Path) -> None:
    from nqueens_models.bench.plots import save

    files = save(summary(), tmp_path)
    assert {path.name for path in files} >= {"scaling-n-queens-every-solution.svg", "cactus.png", "scatter.svg"}
    for path in files:
        data = path.read_bytes()
        assert data.startswith(b"\x89PNG") if path.suffix == ".png" else b"<dc:title>" in data
        assert b"var(--" not in data
