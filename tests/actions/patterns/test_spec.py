"""Test that the spec patterns treat frontmatter and links as Claude Code does."""

import pytest

from actions.case import Case
from actions.patterns.pattern import Finding
from actions.patterns.spec import (
    spec_001_no_frontmatter,
    spec_002_name,
    spec_003_description,
    spec_004_unknown_key,
    spec_005_broken_link,
    spec_006_empty_body,
)
from actions.skill import parse_skill
from actions.skill.frontmatter_keys import find_known_key
from schemas.vocabulary import Severity

BODY = "---\n\nCount the words.\n"


def find(pattern, head: str, folder: str = "word-count", body: str = BODY) -> list[Finding]:
    return list(pattern.check(Case(parse_skill(folder, {"SKILL.md": f"---\n{head}{body}".encode()}))))


def list_severities(pattern, head: str, folder: str = "word-count") -> list[str]:
    return [
        str(max(finding.severity, pattern.PATTERN.severity, key=lambda s: s.rank))
        for finding in find(pattern, head, folder)
    ]


@pytest.mark.parametrize(
    ("head", "count"),
    [
        ("description: Use when asked.\n", 1),
        ("name:\ndescription: Use when asked.\n", 1),
        ("name: word_count!\ndescription: x\n", 1),
        ("name: Word Count\ndescription: x\n", 1),
        ("name: word:count\ndescription: x\n", 1),
        ("name: birds:word-count\ndescription: x\n", 1),
        (f"name: {'a' * 65}\ndescription: x\n", 1),
        ("name: wordcount\ndescription: x\n", 1),
        ("name: line-count\ndescription: x\n", 0),
        ("name: word-count\ndescription: x\n", 0),
    ],
)
def test_name_is_low_as_claude_calls_the_skill_by_its_folder(head, count):
    assert list_severities(spec_002_name, head) == ["low"] * count


@pytest.mark.parametrize(
    ("text", "part", "severity"),
    [
        (
            "All 7 files created at `.claude/skills/word-count/`:\n\n- **SKILL.md**: overview\n",
            "no instructions",
            Severity.HIGH,
        ),
        ("Three files written:\n\n- `SKILL.md`\n", "no instructions", Severity.HIGH),
        ("Three files are enough.\n\n- `SKILL.md`\n", "no valid frontmatter", Severity.MEDIUM),
    ],
)
def test_report_of_a_model_is_named_as_such(text, part, severity):
    (finding,) = spec_001_no_frontmatter.check(Case(parse_skill("word-count", {"SKILL.md": text.encode()})))
    assert part in finding.message and finding.severity is severity


@pytest.mark.parametrize("folder", ["skill", "Line Count (1)"])
def test_general_folder_name_is_not_compared(folder):
    assert list_severities(spec_002_name, "name: line-count\ndescription: x\n", folder) == []


@pytest.mark.parametrize(
    ("head", "severity"),
    [
        ("name: word-count\ndescription: Use when: asked\n", ["low"]),
        ("name: word-count\nargument-hint: [file] [lang]\n", ["low"]),
        ('name: word-count\ndescription: "open\n', ["high"]),
        ("- name: word-count\n- description: x\n", ["high"]),
        ("name: word-count\n\tdescription: x\n", ["high"]),
        ("name: word-count\nallowed-tools: Read\n\tdescription: x\n", ["high"]),
        ("name: word-count\ndisallowed-tools: Read\n\tdescription: x\n", ["critical"]),
    ],
)
def test_frontmatter_without_quotes_is_low(head, severity):
    assert list_severities(spec_001_no_frontmatter, head) == severity
    assert list_severities(spec_002_name, head) == list_severities(spec_003_description, head) == []


@pytest.mark.parametrize(
    ("head", "severity"),
    [("description: Counts words.", []), ("description: Count. Triggers: words, lines", ["low"])],
)
def test_text_after_the_closing_mark_is_no_fault(head, severity):
    findings = find(spec_001_no_frontmatter, f"name: word-count\n{head}\n", body="--- # Count\n\nCount the words.\n")
    assert [(finding.severity, finding.line) for finding in findings] == [(each, 3) for each in severity]


@pytest.mark.parametrize(
    ("head", "severity"),
    [
        ("name: word-count\n", ["high"]),
        ('name: word-count\ndescription: ""\n', ["high"]),
        ("name: word-count\ndescription:\n  - Counts words\n", ["high"]),
        ("name: word-count\ndisable-model-invocation: true\n", ["low"]),
        ("name: word-count\ndescription: {use: when asked}\n", ["high"]),
        (f"name: word-count\ndescription: {'x' * 1025}\n", ["low"]),
        (f"name: word-count\ndescription: {'x' * 1537}\n", ["medium"]),
        (f"name: word-count\ndescription: {'字' * 1024}\n", []),
        ("name: word-count\ndescription: 1984\n", []),
    ],
)
def test_description_is_a_text_of_at_most_1024_characters(head, severity):
    assert list_severities(spec_003_description, head) == severity


@pytest.mark.parametrize(
    ("key", "known"),
    [
        ("alowed-tools", "allowed-tools"),
        ("allowedTools", "allowed-tools"),
        ("user-invokable", "user-invocable"),
        ("when-to-use", "when_to_use"),
        ("Descripton", "description"),
        ("argument_hint", "argument-hint"),
        ("licence", "license"),
        ("disableModelInvocation", "disable-model-invocation"),
    ],
)
def test_misspelled_key_means_one_known_key(key, known):
    assert find_known_key(key, "x") == known


@pytest.mark.parametrize(
    "key", ["colour", "category", "models", "path", "hook", "x-name", "_model", "tools", "version"]
)
def test_own_key_is_not_a_misspelling(key):
    assert find_known_key(key, "x") is None


@pytest.mark.parametrize(
    ("value", "known"), [("Read, Grep", "allowed-tools"), ("[Bash(git:*)]", "allowed-tools"), ("wc", None)]
)
def test_tools_key_is_wrong_if_it_names_claude_tools(value, known):
    assert find_known_key("tools", value) == known


def test_misspelled_key_beside_the_right_one_is_ignored():
    assert list_severities(spec_004_unknown_key, "allowed-tools: Read\nallowed_tools: Read\n") == []
    assert list_severities(spec_004_unknown_key, "licence: MIT\nmodle2: x\nuser_invocable: false\n") == [
        "low",
        "medium",
    ]


@pytest.mark.parametrize(("text", "count"), [("# Count\n\n## Steps\n", 1), ("Count.\n", 0)])
def test_body_of_headings_is_empty(text, count):
    assert len(find(spec_006_empty_body, "name: x\ndescription: y\n", body=f"---\n\n{text}")) == count


def test_links_that_leave_the_skill_are_ignored():
    text = "[a](../other/SKILL.md) [b](https://example.org/x.md)\n\n- [c](guides/c.md)\n\n[e](e.md)\n"
    findings = find(spec_005_broken_link, "name: word-count\n", body=f"{BODY}\n{text}")
    assert [finding.line for finding in findings] == [9, 11]
