"""Test what is said of the imports of a memory file that Claude Code cannot read."""

import pytest

from schemas.vocabulary import Severity, UnitKind
from tests.actions.patterns.rows import find_rows


def list_messages(files):
    return [message for _, _, message in find_rows("PRJ-012", files, UnitKind.MEMORY)]


def test_full_stop_is_the_cause_only_if_the_file_exists():
    text = "# Birds\n\nCount by @docs/list.md.\n"
    assert list_messages({"CLAUDE.md": text}) == ["`@docs/list.md` imports nothing: no such file."]
    (message,) = list_messages({"CLAUDE.md": text, "docs/list.md": "# List\n"})
    assert message == "`@docs/list.md.` imports nothing: Claude Code takes the `.` as part of the path."


@pytest.mark.parametrize(
    ("memory", "rule", "count"),
    [
        ("CLAUDE.md", ".claude/rules/count.md", 0),
        ("bay/CLAUDE.md", "bay/.claude/rules/count.md", 0),
        ("README.md", ".claude/rules/count.md", 1),
        ("CLAUDE.md", "bay/.claude/rules/count.md", 1),
    ],
)
def test_rule_may_name_the_memory_file_that_is_loaded_anyway(memory, rule, count):
    assert len(list_messages({memory: "# Birds\n", rule: "# Count\n\nFollow @CLAUDE.md in all.\n"})) == count


@pytest.mark.parametrize(
    ("line", "path", "severity"),
    [
        ("See @docs/list.md for details.", "docs/list.md", Severity.LOW),
        ("- @docs/list.md", "docs/list.md", Severity.MEDIUM),
        ("See @docs/list.md for details.", "docs/lists.md", Severity.MEDIUM),
    ],
)
def test_import_in_a_sentence_is_low_if_the_root_has_the_file(line, path, severity):
    files = {".claude/rules/count.md": f"# Count\n\n{line}\n", path: "# List\n"}
    assert [found for _, found, _ in find_rows("PRJ-012", files, UnitKind.MEMORY)] == [severity]


@pytest.mark.parametrize(
    ("folder", "text", "count"),
    [
        ("config/global", "Linked to `~/.claude/rules/`.", 0),
        ("config/global", "Count.", 1),
        (".claude", "Linked to `~/.claude/rules/`.", 1),
        ("config/other", "Linked to `~/.claude/rules/`.", 1),
    ],
)
def test_memory_file_of_the_home_folder_imports_files_there(folder, text, count):
    memory = f"# Birds\n\n{text}\n\n@./rules/count.md\n"
    files = {f"{folder}/CLAUDE.md": memory, "config/global/settings.json": "{}", ".claude/settings.json": "{}"}
    assert len(find_rows("PRJ-012", files, UnitKind.MEMORY)) == count
