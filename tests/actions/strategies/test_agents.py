"""The strategies for agents and memory on files that their own examples do not show."""

import pytest

from actions.example import example_case
from actions.findings import scan
from actions.issues import issues_of
from actions.proof.prove import Promise, prove
from actions.strategies import named

HEAD = "---\nname: example\ndescription: Does one thing well. Use when that thing is asked for.\n---\n\n"


def mended(name, id, example):
    """Give the text of SKILL.md after the first issue is mended, with the proof passed; None where refused."""
    case = example_case(example)
    found = scan(case)
    issue = next(i for i in issues_of(found) if i.pattern == id)
    draft = named(name).propose(issue, case)
    if draft is None:
        return None
    after = case.with_skill(case.skill.replaced(draft.writes))
    proof = prove(case, after, found, Promise.of(draft, {issue.fingerprint}))
    assert proof.passed, proof.reasons
    return after.skill.main.text.removeprefix(HEAD)


def test_several_calls_without_a_table_get_one_sentence_behind_the_last():
    text = '# A\n\n```js\nTask({ subagent_type: "Explore", prompt: `Read ${a}.` })\nTask({ subagent_type: "Plan", prompt: `Order ${a}.` })\n```\n\nThen stop.\n'
    out = mended("error_wrapping", "AGT-001", text)
    assert (
        out.splitlines()[7]
        == "If a sub-agent fails or times out, run it once more; if it fails again, report which one failed and stop."
    )


def test_a_prompt_over_several_lines_keeps_its_indentation():
    text = '# A\n\n```js\nawait Task({\n  subagent_type: "Explore",\n  prompt: `Read ${a}:\n  - all\n    of it\n`\n})\n```\n'
    out = mended("error_wrapping", "AGT-001", text)
    assert "    prompt: `Read ${a}:\n  - all\n    of it\n`\n  })\n} catch" in out


def test_a_table_of_three_columns_is_not_touched():
    text = "# A\n\nSpawn two Explore agents, one per folder.\n\n## Errors\n\n| Code | Case | Do |\n|---|---|---|\n| 1 | No folder | Name it |\n"
    out = mended("error_wrapping", "AGT-001", text)
    assert "| 1 | No folder | Name it |\n" in out
    assert "one per folder. If a sub-agent fails" in out


def test_line_ends_of_the_file_are_kept():
    text = "# A\r\n\r\nSpawn two Explore agents, one per folder.\r\n"
    out = mended("error_wrapping", "AGT-001", {"SKILL.md": HEAD.replace("\n", "\r\n") + text})
    assert "\n" not in out.replace("\r\n", "")


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\nRetry the upload forever.\n",
        "# A\n\n```bash\nuntil test -f done; do sleep 1; done\n```\n",
    ],
)
def test_a_loop_that_would_have_to_be_rewritten_is_refused(text):
    assert mended("bound_loop", "AGT-008", text) is None


def test_the_bound_stands_in_its_own_cell_of_a_table():
    text = "# A\n\n| Stage | Do |\n|---|---|\n| Test | Re-run the tests until they pass | \n"
    assert "pass. Stop after 3 attempts and report what still fails |" in mended("bound_loop", "AGT-008", text)


def test_a_numbered_list_of_rules_goes_on_counting():
    call = '```js\nconst r = Task({\n  subagent_type: "general-purpose",\n  prompt: `Refactor ${x}.\n\n## Rules\n1. Keep the tests green.\n2. Add no library.`\n})\nif (!r) return\n```\n'
    out = mended(
        "constraint_injection",
        "MEM-001",
        f"# A\n\n## Rules\n\n- Do not rename **public** functions.\n\n## Do it\n\n{call}",
    )
    assert "2. Add no library.\n3. Do not rename public functions.`\n})" in out


def test_a_rule_that_cannot_stand_in_the_string_is_refused():
    call = '```js\nconst r = Task({ subagent_type: "general-purpose", prompt: `Refactor ${x} so that it reads well.` })\nif (!r) return\n```\n'
    assert (
        mended(
            "constraint_injection",
            "MEM-001",
            f"# A\n\n## Rules\n\n- Never change `{{{{slot}}}}` markers.\n\n## Do it\n\n{call}",
        )
        is None
    )


def test_a_tool_is_added_to_a_quoted_list():
    head = HEAD.replace("\n---\n", '\nallowed-tools: "Read, Grep"\n---\n')
    out = mended("declare_tools", "AGT-005", head + '# A\n\n```js\nWrite("a", b)\n```\n')
    assert 'allowed-tools: "Read, Grep, Write"\n' in out


def test_an_order_within_a_longer_line_is_left_to_a_writer():
    text = '# A\n\n```js\nconst r = Task({ subagent_type: "general-purpose", prompt: "Split it. Then spawn one sub-agent per part." })\nif (!r) return\n```\n'
    assert mended("flatten_nesting", "AGT-004", text) is None


@pytest.mark.parametrize("alias", ["orchestrator_refactor", "state_constraints_field"])
def test_other_names_of_an_edit_are_known(alias):
    assert named(alias) is not None
