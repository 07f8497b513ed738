"""Test which files count as forms, and which are meant only for people."""

import pytest

from actions.patterns import get_patterns
from schemas.vocabulary import Severity
from tests.examples import list_project_cases

FRONTMATTER = "---\nname: count\ndescription: Counts birds.\n---\n\n# Count\n\n"
LINK, CALL = "See [the pond](pond.md).\n", "```bash\npython3 scripts/count.py\npython3 scripts/tally.py\n```\n"
OPTION = "```bash\npython3 scripts/count.py --fast\n```\n"
SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--all')\np.parse_args()\n"


def list_severities(id, text, path="references/report.md", main="", **others):
    module = get_patterns()[id]
    files = {
        ".claude-plugin/plugin.json": '{"name": "birds"}',
        "skills/count/SKILL.md": FRONTMATTER + main,
        "skills/count/scripts/count.py": SCRIPT,
        **others,
        f"skills/count/{path}": text,
    }
    return [f.severity for case in list_project_cases(module, files) for f in module.check(case)]


FORMS = [
    ("references/report-template.md", "# Report\n\n", ""),
    ("references/templates/report.md", "# Report\n\n", ""),
    ("references/report.md", "# [Report Name]\n\n", ""),
    ("references/report.md", "# Report\n\n## [First Pond]\n\n## [Second Pond]\n\n", ""),
    ("references/report.md", "# Report\n\n", "Write it with the `references/report.md` template.\n"),
    ("references/report.md", "# Report\n\n", "- `references/report.md` - the report template\n"),
]
OTHER_REFERENCES = [
    ("references/report.md", "# Report\n\n", "Read `references/report.md`.\n"),
    ("references/report.md", "# Report [Optional]\n\n", "Read `references/report.md`.\n"),
    ("references/templates.md", "# Report\n\n", "Read `references/templates.md`, then `pond-template.md`.\n"),
]


@pytest.mark.parametrize(("path", "title", "main"), FORMS)
@pytest.mark.parametrize(("id", "text"), [("SPEC-005", LINK), ("PRJ-042", CALL)])
def test_links_and_commands_of_a_form_are_not_checked(id, text, path, title, main):
    assert list_severities(id, title + text, path, main) == []


@pytest.mark.parametrize(("path", "title", "main"), OTHER_REFERENCES)
@pytest.mark.parametrize(("id", "text"), [("SPEC-005", LINK), ("PRJ-042", CALL)])
def test_other_reference_is_not_a_form(id, text, path, title, main):
    assert len(list_severities(id, title + text, path, main)) == 1


def test_another_skill_of_the_plugin_may_name_a_form():
    files_of_other_skill = {"skills/sort/SKILL.md": "Fill in `../count/references/report.md`, a template.\n"}
    assert list_severities("SPEC-005", LINK, **files_of_other_skill) == []
    assert len(list_severities("SPEC-005", LINK, **{"docs/notes.md": "The `pond.md` template.\n"})) == 1


@pytest.mark.parametrize(("id", "text"), [("DOC-CON-002", OPTION), ("PRJ-042", CALL)])
def test_fault_in_a_file_that_no_text_names_is_low(id, text):
    assert list_severities(id, text, "HOW_TO_USE.md") == [Severity.LOW]
    assert list_severities(id, text, "HOW_TO_USE.md", "Read [this](HOW_TO_USE.md).\n") == [Severity.MEDIUM]
    assert list_severities(id, text, "phases/01-count.md") == [Severity.MEDIUM]


@pytest.mark.parametrize("title", ["Related Skills", "See also", "Cross-References"])
def test_dead_link_in_a_list_of_related_things_is_low(title):
    assert list_severities("SPEC-005", "", main=f"## {title}\n\n- {LINK}") == [Severity.LOW]
    assert list_severities("SPEC-005", "", main=f"## Relations\n\n- {LINK}") == [Severity.MEDIUM]
