"""Test that a fix corrects all locations of a finding, in one change that keeps the invariants."""

import pytest

from actions.fixes.invariants.prove import Promise, prove
from actions.fixes.proposals import propose_drafts
from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from tests.examples import make_example_case

CALL = '```js\nTask({{ subagent_type: "{}", prompt: "{}" }})\n```\n\nWhen it fails, go on without it.\n'
SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--max-words', type=int, default=800)\np.parse_args()\n"
TOOLS = "---\nname: example\ndescription: Does one thing well. Use when that thing is asked for.\nallowed-tools: Read\n---\n\n"
GOOD = {"references/one.md": "# One\n", "references/two.md": "# Two\n", "references/three.md": "# Three\n"}
FINDINGS = {
    "folder with another name": (
        "SPEC-005",
        {
            "SKILL.md": "# A\n\nRead [one](docs/one.md) and [two](docs/two.md).\n",
            "phases/01-x.md": "# X\n\nAs [three](../docs/three.md) says.\n",
            **GOOD,
        },
        3,
    ),
    "misspelled file": (
        "SPEC-005",
        {
            "SKILL.md": "# A\n\nRead [it](references/thre.md).\n\nThen [it](references/thre.md).\n",
            "phases/01-x.md": "# X\n\nAs [it](../references/thre.md) says.\n",
            **GOOD,
        },
        3,
    ),
    "misspelled heading": (
        "SPEC-005",
        {
            "SKILL.md": "# A\n\nSee [ties](references/ties.md#how-ties-are-setled).\n",
            "phases/01-x.md": "# X\n\nSee [ties](../references/ties.md#how-ties-are-setled).\n",
            "references/ties.md": "# T\n\n## How ties are settled\n\nThe older one wins.\n",
        },
        2,
    ),
    "name in upper case": (
        "DF-009",
        {"SKILL.md": "# A\n\nRead FORMS.md.\n\nThen FORMS.md again.\n", "forms.md": "# F\n\nOne.\n"},
        2,
    ),
    "dead entries of two lists": (
        "SPEC-005",
        {
            "SKILL.md": "# A\n\n- [a](references/lost/a.md)\n- [one](references/one.md)\n\nOr:\n\n- [b](references/lost/b.md)\n"
            "- [two](references/two.md)\n",
            **GOOD,
        },
        2,
    ),
    "misspelled agent type": (
        "AGT-007",
        {
            "SKILL.md": f"# A\n\n{CALL.format('general-purpos', 'Look.')}",
            "phases/01-x.md": f"# X\n\n{CALL.format('general-purpos', 'List.')}",
        },
        2,
    ),
    "misspelled option": (
        "DOC-CON-002",
        {
            "SKILL.md": "# A\n\n```bash\npython scripts/c.py --max-wrds 3\n```\n",
            "phases/01-x.md": "# X\n\n```bash\npython scripts/c.py --max-wrds 4\n```\n",
            "scripts/c.py": SCRIPT,
        },
        2,
    ),
    "default of another version": (
        "DOC-CON-002",
        {
            "SKILL.md": "# A\n\n## scripts/c.py\n\n- `--max-words N`: stop after N words (default: 500)\n\n"
            "## Again scripts/c.py\n\n- `--max-words N`: stop (default: 500)\n",
            "scripts/c.py": SCRIPT,
        },
        2,
    ),
    "tool that is not listed": (
        "AGT-005",
        {
            "SKILL.md": f"{TOOLS}```python\nWebFetch(url)\n```\n",
            "phases/01-x.md": "# X\n\n```python\nWebFetch(other)\n```\n",
        },
        2,
    ),
}


@pytest.mark.parametrize(("pattern", "files", "count"), FINDINGS.values(), ids=FINDINGS)
def test_fix_corrects_all_places_of_a_finding(pattern, files, count):
    case = make_example_case(files)
    scan_before = scan(case)
    (issue,) = [i for i in make_issues(scan_before) if i.pattern == pattern]
    _, _, draft = next(propose_drafts(issue, case))
    after = case.with_skill(case.skill.with_files(draft.writes))
    promise = Promise({issue.fingerprint}, tuple(draft.drops), draft.token_limit, tuple(draft.rewrites))
    assert (len(issue.places), prove(case, after, scan_before, promise).reasons) == (count, ())
    assert [finding for finding in scan(after).findings if finding.pattern.id == pattern] == []


def test_finding_with_a_place_that_cannot_be_fixed_has_no_fix():
    """A list entry with a dead link can be removed, but a sentence with the same link cannot."""
    body = "# A\n\n- [a](references/a.md)\n- [one](references/one.md)\n\nThen follow [a](references/a.md) to the end.\n"
    case = make_example_case({"SKILL.md": body, **GOOD})
    (issue,) = [i for i in make_issues(scan(case)) if i.pattern == "SPEC-005"]
    assert len(issue.places) == 2
    assert list(propose_drafts(issue, case)) == []


def test_fix_corrects_many_references_in_one_line():
    names = [f"guide-{chr(97 + n // 10)}{chr(97 + n % 10)}" for n in range(150)]
    files = {"SKILL.md": "# A\n\n" + ", ".join(f"[x](refs/{name}-label.md)" for name in names) + "\n"}
    case = make_example_case({**files, **{f"refs/{name}-labels.md": "# X\n" for name in names}})
    scan_before = scan(case)
    issues = [i for i in make_issues(scan_before) if i.pattern == "SPEC-005"]
    drafts = [next(propose_drafts(issue, case))[2] for issue in issues]
    assert len({draft.writes["SKILL.md"] for draft in drafts}) == 1
    promise = Promise(
        frozenset(issue.fingerprint for issue in issues), (), drafts[0].token_limit, tuple(drafts[0].rewrites)
    )
    after = case.with_skill(case.skill.with_files(drafts[0].writes))
    assert prove(case, after, scan_before, promise).reasons == ()


def test_fix_keeps_a_target_that_is_a_single_letter():
    body = "# A\n\nSee [x](refs/guide-one-label.md), [b](一.md) and 一 too.\n"
    case = make_example_case({"SKILL.md": body, "yi/一.md": "# Yi\n", "refs/guide-one-labels.md": "# X\n"})
    (issue, *_) = [i for i in make_issues(scan(case)) if i.pattern == "SPEC-005"]
    text = next(propose_drafts(issue, case))[2].writes["SKILL.md"].decode()
    assert text.replace("(yi/一.md)", "(一.md)").endswith(body.replace("label.md", "labels.md"))


def test_fix_corrects_a_line_with_private_characters():
    line = "\U000f0219 See \U0010ffff[x](refs/guide-label.md) and \U000f0000`refs/guide-label.md`, \U000f0219.\n"
    case = make_example_case({"SKILL.md": f"# A\n\n{line}", "refs/guide-labels.md": "# X\n"})
    (issue, *_) = make_issues(scan(case))
    text = next(propose_drafts(issue, case))[2].writes["SKILL.md"].decode()
    assert text.endswith(line.replace("label", "labels"))
