"""Test that the HTML report is one self-contained page, and that hostile text in it stays text."""

import base64
import hashlib
import re
from html import escape
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from actions.reporting.finding_rows import list_findings
from actions.reporting.report import render_html
from schemas.codec import from_json, to_json
from schemas.records import State
from schemas.vocabulary import FixStatus, Grade, IssueSource, IssueStatus
from tests.schemas.samples import make_fix, make_issue, make_rich_state

HOSTILE_TEXT = (
    "<script>x()</script> <img src=x onerror=x()> \" onload='x()' &amp; {{ 7 * 7 }} \x1b[31m \u202e \u2066 \x00 `<b>`"
)


class Page(HTMLParser):
    """A parser that collects the elements, ids and text of a page."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.text = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    def values(self, name):
        return [attrs[name] for _, attrs in self.elements if name in attrs]


def fill_with_hostile_text(value):
    """Return a JSON value with hostile text in each field that a skill, a session or a person can fill."""
    if isinstance(value, dict):
        return {
            key: item if key in FIELDS_WITH_FIXED_VALUES else fill_with_hostile_text(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [fill_with_hostile_text(item) for item in value]
    return HOSTILE_TEXT if isinstance(value, str) else value


FIELDS_WITH_FIXED_VALUES = {  # a schema limits their values to a list or a format
    *("phase", "status", "pause", "type", "severity", "grade", "gate", "risk", "source", "fate", "dest", "result"),
    *(
        "verification_result",
        "quality_gate",
        "options",
        "id",
        "issue_ids",
        "fix_id",
        "action",
        "execution_mode",
        "kind",
    ),
    *("word", "started_at", "updated_at", "at", "date", "began", "ended", "resolved", "found", "pattern"),
}


def make_full_state():
    """Return a state with findings and fixes of every kind."""
    issues = (make_issue(n, source=IssueSource.PARSER, status=status) for n, status in enumerate(IssueStatus, 1))
    return replace(
        make_rich_state(),
        issues=(*issues, make_issue(8), make_issue(9, status=IssueStatus.OPEN)),
        proposed_fixes=tuple(make_fix(n, status=status) for n, status in enumerate(FixStatus, 1)),
    )


def make_hostile_state():
    return from_json(State, fill_with_hostile_text(to_json(make_full_state())))


def test_page_escapes_a_hostile_skill():
    clean, evil = Page(render_html(make_full_state())), Page(render_html(make_hostile_state()))
    assert {tag for tag, _ in evil.elements} <= {tag for tag, _ in clean.elements}
    assert [tag for tag, _ in evil.elements].count("script") == 1
    assert not [name for _, attrs in evil.elements for name in attrs if name.startswith("on") or name == "style"]
    text = "".join(evil.text)
    assert "<script>x()</script> <img src=x onerror=x()>" in text
    assert "{{ 7 * 7 }}" in text, "a text is not rendered as a template"


def test_page_replaces_control_characters():
    page = render_html(make_hostile_state())
    control_characters = {c for c in page if not c.isprintable() and c not in "\n\t"}
    assert control_characters == set()
    assert "\ufffd[31m" in page


def test_page_needs_no_network():
    page = render_html(make_full_state())
    assert not re.search(r"https?://|//\w|url\((?!#)|@import", page)
    assert not {tag for tag, _ in Page(page).elements} & {"link", "img", "iframe", "object", "form", "base"}


def test_page_policy_allows_only_its_own_style_and_script():
    page = render_html(make_full_state())
    policy = next(attrs["content"] for tag, attrs in Page(page).elements if attrs.get("http-equiv"))
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_page_links_have_targets_and_unique_ids():
    page = Page(render_html(make_full_state()))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {target for target in page.values("href") if target[1:] not in ids} == set()


@pytest.mark.parametrize("group", ["severity", "family", "now", "phase", "fix", "rule", "session"])
def test_page_filters_hide_entries(group):
    page = render_html(make_full_state())
    boxes = re.findall(rf'id="{group}-([\w-]+)"', page)
    assert boxes
    for value in boxes:
        assert f'data-{group}="{value}"' in page
        assert f'main:has(#{group}-{value}:not(:checked)) [data-{group}="{value}"]' in page


def test_page_works_without_a_diagnosis():
    page = render_html(State(run_id="r"))
    assert "No diagnosis was made." in page
    assert "There are no measurements." in page
    assert "The run failed" in render_html(State(run_id="r", error_count=3))


def test_page_says_how_each_issue_is_known():
    proven_issue = make_issue(1, source=IssueSource.PARSER, status=IssueStatus.OPEN, grade=Grade.PROVEN, read_by=None)
    read_issue = make_issue(2, source=IssueSource.MODEL, status=IssueStatus.OPEN)
    page = render_html(replace(make_rich_state(), issues=(proven_issue, read_issue)))
    first, second = page.split('<article class="card item" id="ISS-')[1:3]
    assert "<span>proven</span>" in first
    assert "Harm: " not in first
    assert "<span>read by a judge</span>" in second
    assert "Harm: no line shortens it" in second


def test_page_says_unchanged_facts_once_and_titles_ids():
    state = make_full_state()
    page = render_html(state)
    applied_fix = next(fix for fix in state.proposed_fixes if fix.status == "applied")
    titles_by_id = {item.issue.id: item.title for item in list_findings(state)}
    id = applied_fix.issue_ids[0]
    assert f'<a href="#{id}">{id}</a> {escape(titles_by_id[id])}' in page
    state_with_same_score = replace(state, quality_score=state.rounds[0].score)
    assert f'{state.rounds[0].score} <span class="to">unchanged</span>' in render_html(state_with_same_score)
    assert ">none<" not in page


def test_page_shows_looked_up_files_beside_the_verdicts():
    note = "a reader looked up for the reading: 1 file (0 KB): tides.py"
    page = render_html(replace(make_full_state(), judge="a reader", notes=(note,)))
    assert page.count(note) == page.count(f"<li>{note}</li>") == 1
    assert page.index('id="judge"') < page.index(note)
