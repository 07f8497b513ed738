"""Test the HTML report in a browser: no errors, accessible, and filterable with and without its script."""

from importlib.resources import files

import pytest

from actions.reporting.report import render_html
from tests.actions.reporting.test_report_html import HOSTILE_TEXT, make_full_state, make_hostile_state

pytest.importorskip("selenium")
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser import CHROMIUM, DRIVER, open_chromium

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium or chromium-driver is not installed"),
]
LOOKS = {
    "desktop, light": {"width": 1200},
    "desktop, dark": {"width": 1200, "dark": True},
    "narrow, light": {"width": 390, "height": 844},
    "narrow, dark": {"width": 390, "height": 844, "dark": True},
}


@pytest.fixture(scope="module")
def browser():
    with open_chromium() as one:
        yield one


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(render_html(make_full_state()))
    return file


@pytest.fixture
def evil_page(tmp_path):
    (tmp_path / "evil.html").write_text(render_html(make_hostile_state()))
    return tmp_path / "evil.html"


@pytest.mark.parametrize("look", LOOKS)
def test_report_has_no_axe_or_console_errors(browser, page, look):
    browser.show(page, **LOOKS[look])
    browser.driver.execute_script(files("axe_core_python").joinpath("axe.min.js").read_text())
    found = browser.run_script("return axe.run(document, {resultTypes: ['violations']})")
    printed = [(rule["id"], node["html"][:120]) for rule in found["violations"] for node in rule["nodes"]]
    assert printed == []
    assert len(found["passes"]) > 15, "axe has looked"
    assert browser.run_script("return document.documentElement.scrollWidth") <= LOOKS[look]["width"]
    assert browser.read_console() == []


def test_hostile_skill_does_nothing_in_a_browser(browser, evil_page):
    browser.show(evil_page)
    assert browser.read_console() == [], "a script that ran or was blocked would be reported"
    assert browser.run_script("return document.scripts.length") == 1
    assert HOSTILE_TEXT[:24] in browser.driver.find_element(By.TAG_NAME, "h1").text


def shown(browser, group, value):
    entries = browser.driver.find_elements(By.CSS_SELECTOR, f'[data-{group}="{value}"]')
    assert entries
    return any(entry.is_displayed() for entry in entries)


@pytest.mark.parametrize("script", [True, False], ids=["with its script", "without"])
def test_filters_work_by_keyboard_without_script(browser, page, script):
    browser.send_command("Emulation.setScriptExecutionDisabled", value=not script)
    try:
        browser.show(page)
        assert shown(browser, "now", "fixed")
        browser.driver.find_element(By.ID, "now-fixed").send_keys(Keys.SPACE)
        assert not shown(browser, "now", "fixed")
        assert shown(browser, "now", "open")
        browser.driver.find_element(By.ID, "now-fixed").send_keys(Keys.SPACE)
        assert shown(browser, "now", "fixed")
        assert browser.driver.find_element(By.ID, "search").is_displayed() is script
    finally:
        browser.send_command("Emulation.setScriptExecutionDisabled", value=False)


def test_search_hides_items_and_counts_the_rest(browser, page):
    browser.show(page)
    box = browser.driver.find_element(By.ID, "search")
    box.send_keys("iss-001 shrinks")
    assert browser.driver.find_element(By.ID, "ISS-001").is_displayed()
    assert not browser.driver.find_element(By.ID, "ISS-002").is_displayed()
    assert browser.driver.find_element(By.ID, "count").text.startswith("1 of ")
    box.send_keys(Keys.CONTROL, "a")
    box.send_keys(Keys.DELETE)
    assert browser.driver.find_element(By.ID, "ISS-002").is_displayed()


def test_first_tab_stop_skips_to_the_report(browser, page):
    browser.show(page)
    browser.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    first = browser.driver.switch_to.active_element
    assert (first.text, first.is_displayed()) == ("Skip to the report", True)


def test_print_hides_controls(browser, page):
    browser.show(page, media="print")
    for name in ("nav", ".filters", ".search"):
        assert not browser.driver.find_element(By.CSS_SELECTOR, name).is_displayed()
    assert browser.driver.find_element(By.ID, "ISS-001").is_displayed()
