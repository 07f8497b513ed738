"""Test the reports of a trial: a table and a chart, with escaped text of the tasks."""

from xml.etree import ElementTree

import pytest

import schemas
from orchestrator.tuning.trial import report


@pytest.fixture
def result():
    measure = {"before": 10.0, "after": 9.0, "difference": {"mean": -1.0, "low": -2.0, "high": 0.5, "confidence": 0.95}}
    runs = [
        {"task": "<b>one", "number": n, "version": version, "passed": version == "after", "used": True, "usd": 0.1,
         "tokens": 9, "seconds": 1.0, "turns": 2, "compactions": 0, "transcript": "",
         "outcomes": ["stuck"], "commands": ["gh pr list"],
         "checks": [{"label": "text: |`x`|", "passed": version == "after", "why": "<script>it is not there"}]}
        for n in (1, 2) for version in ("before", "after")
    ]  # fmt: skip
    value = {
        "schema_version": 1, "skill": {"name": "notes", "path": "/notes"}, "against": "HEAD~1", "same_text": False,
        "model": "m", "verdict": "better", "why": "decided", "rounds": {"planned": 10, "held": 10},
        "before": {"runs": 20, "succeeded": 11, "used": 20}, "after": {"runs": 20, "succeeded": 17, "used": 19},
        "difference": {"mean": 0.3, "low": 0.1, "high": 0.5, "confidence": 0.966}, "p_better": 0.001, "p_worse": 0.99,
        "level": 0.017, "noise_floor": 2.2,
        "measures": [{"name": name, **measure} for name in ("tokens", "usd", "seconds", "turns", "compactions")],
        "tasks": [{"task": "<b>one", "before": [True, False], "after": [True, True]},
                  {"task": "two", "before": [True, True], "after": [True, True]}],
        "fixtures": [{"finding": "<i>SKILL.md:3", "failed": ["text: x"], "vacuous": ["text: y"], "outcomes": ["lost"],
                      "why": "", "counts": [{"kind": "biting", "version": "after", "runs": 2, "done": 1, "lost": 0,
                                             "false_claim": 1, "stuck": 0,
                                             "commands": [{"command": "gh <u>pr", "runs": 2}]}]}],
        "runs": runs, "cost": {"usd": 3.2, "ceiling": 5.0}, "notes": ["a <note>"], "folder": "/trials/one",
    }  # fmt: skip
    schemas.check("trial", value)
    return value


def test_headline_states_rates_and_verdict(result):
    assert report.format_headline(result) == "the current skill succeeds in 17 of 20 against 11, noise floor 2: better"


def test_markdown_has_table_and_chart_and_escapes_tasks(result):
    text = report.format_markdown(result)
    assert "| succeeded | 11 of 20 | 17 of 20 | +30 points | +10 to +50 points (96.6 %) |" in text
    assert "o" + "-" * 19 + "x|" in text.replace("&lt;", "<")
    assert "<script>" not in text.replace("`<script>", "")
    assert "two    |" + "." * 40 + "8|" in text


def test_html_report_is_well_formed_and_shows_each_task(result):
    page = report.format_html(result)
    svg = page[page.index("<svg") : page.index("</svg>") + 6]
    tree = ElementTree.fromstring(svg)
    assert (
        sum(element.tag == "circle" for element in tree) == 5
    )  # A ring and a dot for each of two tasks, and the mean.
    assert "<script>" not in page
    assert "&lt;script&gt;it is not there" in page


def test_outcomes_are_counted_apart_for_each_fixture(result):
    for page in (report.format_markdown(result), report.format_html(result)):
        assert "2 runs: 1 done, 1 false claim; called in 2: gh " in page
        assert "checks that did not fail and do not count: text: y" in page
        assert "<i>" not in page
        assert "<u>" not in page
