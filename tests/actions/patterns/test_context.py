"""Test that the context patterns find text that goes into prompts and text that a compaction cuts off."""

import pytest

from actions.patterns.context import (
    ctx_002_state_in_prompt,
    ctx_003_contents_in_prompt,
    ctx_005_loaded_at_once,
)
from actions.skill.budget import find_lost_rules
from schemas.vocabulary import Severity
from tests.examples import make_example_case


def find(module, example):
    return list(module.check(make_example_case(example)))


def make_js_fence(code):
    return f"# X\n\n```javascript\n{code}\n```\n"


FLOWS = {
    "the state through a variable": (
        ctx_002_state_in_prompt,
        make_js_fence(
            "const text = JSON.stringify(runState)\nconst prompt = `Do it.\\n${text}`\nconst r = await Task({ prompt })"
        ),
    ),
    "a file read in the placeholder": (
        ctx_003_contents_in_prompt,
        make_js_fence("Task({ prompt: `See ${fs.readFileSync(path, 'utf8')}` })"),
    ),
    "a file awaited and trimmed": (
        ctx_003_contents_in_prompt,
        make_js_fence("const text = (await readFile(path)).trim()\nTask({ prompt: `See:\\n${text}` })"),
    ),
}
NO_FLOWS = {
    "a field of a file": (
        ctx_003_contents_in_prompt,
        make_js_fence("const c = JSON.parse(Read('c.json'))\nTask({ prompt: `In ${c.folder}` })"),
    ),
    "a field of the state": (
        ctx_002_state_in_prompt,
        make_js_fence("Task({ prompt: `Do ${state.part} of ${state['whole']}` })"),
    ),
    "no sub-agent": (ctx_002_state_in_prompt, make_js_fence("send({ prompt: JSON.stringify(state) })")),
    "a part of a file": (
        ctx_003_contents_in_prompt,
        make_js_fence("const t = parse(Read(p))\nTask({ prompt: `See ${t}` })"),
    ),
    "a path": (ctx_003_contents_in_prompt, make_js_fence("const t = Read(p)\nTask({ prompt: `Read ${p}` })")),
    "a sample of what not to do": (
        ctx_002_state_in_prompt,
        make_js_fence("Task({ prompt: JSON.stringify(state) })").replace("```java", "❌ Wrong:\n\n```java"),
    ),
}


@pytest.mark.parametrize("name", FLOWS)
def test_whole_value_in_prompt_is_found_with_its_source(name):
    module, example = FLOWS[name]
    (finding,) = find(module, example)
    assert finding.also
    assert "SKILL.md:" in finding.message


@pytest.mark.parametrize("name", NO_FLOWS)
def test_partial_value_in_prompt_is_ignored(name):
    module, example = NO_FLOWS[name]
    assert find(module, example) == []


def test_single_file_in_prompt_is_low():
    findings = find(ctx_003_contents_in_prompt, make_js_fence("const t = Read(p)\nTask({ prompt: `See ${t}` })"))
    assert [finding.severity for finding in findings] == [Severity.LOW]


FILLER = "Sheet after sheet lies in its drawer, each with a label and a day.\n\n"


def test_long_text_message_has_line_and_lost_tokens():
    (finding,) = find(ctx_005_loaded_at_once, "# X\n\n" + FILLER * 480)
    assert finding.severity is Severity.LOW
    assert f"line {finding.line}" in finding.message
    (longer_finding,) = find(ctx_005_loaded_at_once, "# X\n\n" + FILLER * 700)
    assert longer_finding.severity is Severity.MEDIUM
    assert find(ctx_005_loaded_at_once, "# X\n\n" + FILLER * 440) == []


@pytest.mark.parametrize(
    ("late_text", "count"),
    [
        ("You MUST label every sheet.\n\nNEVER lend a sheet to anybody.\n", 2),
        (
            "发送之前必须得到用户的书面确认，没有确认就停下。\n\n每张标本必须贴上标签，并且在标签上写明采集人、日期和地点。\n",
            2,
        ),
        ("Write this letter:\n\n> You MUST answer within a week.\n", 0),
        ("The service answers `FORBIDDEN` for a wrong key.\n", 0),
        ("<example_output>\nYou MUST label every sheet.\n</example_output>\n", 0),
        ("“You MUST label every sheet,” says the guide.\n", 0),
        ("A wrong key gives `MUST_LOGIN NEVER` as its answer here.\n", 0),
        ("```\nYou MUST label every sheet.\n```\n", 0),
        ("| Error | Text |\n|---|---|\n| 4 | You MUST label every sheet |\n", 0),
    ],
)
def test_rules_after_the_cut_are_found(late_text, count):
    findings = find_lost_rules(make_example_case(f"# X\n\n{FILLER * 330}{late_text}").skill)
    assert len(findings) == count
