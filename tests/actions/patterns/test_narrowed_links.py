"""Test the exceptions of patterns about links and paths, which had false positives in repositories not used to develop them."""

import pytest
from msgspec.structs import replace

from actions.patterns import get_patterns
from actions.scoring.scan import scan
from schemas.vocabulary import Severity, UnitKind
from tests.actions.patterns.rows import FRONTMATTER, find_rows
from tests.examples import list_unit_cases, make_project


@pytest.mark.parametrize(
    ("intro", "severity"), [("See the new documentation:", Severity.LOW), ("Read these first:", Severity.MEDIUM)]
)
def test_dead_link_in_a_see_also_list_is_low(intro, severity):
    findings = find_rows("SPEC-005", {"SKILL.md": f"{FRONTMATTER}---\n\n{intro}\n\n- [one](one.md)\n- [two](two.md)\n"})
    assert {finding[1] for finding in findings} == {severity}


@pytest.mark.parametrize(
    ("name", "count"), [("report-example", 0), ("example_report", 0), ("report", 1), ("examples", 1)]
)
def test_link_in_a_sample_of_a_file_is_a_sample(name, count):
    files = {
        "SKILL.md": f"{FRONTMATTER}---\n\nRead `references/`.\n",
        f"references/{name}.md": "# Report\n\nSee [nests](nests.md).\n",
    }
    assert len(find_rows("SPEC-005", files)) == count


def test_link_after_a_fence_that_ends_early_may_be_a_sample():
    text = "# Guide\n\n````xml\n<tag>\n```python\ncount()\n````\n\nSee [rules](rules.md).\n\n````\n"
    assert find_rows("SPEC-005", {"SKILL.md": f"{FRONTMATTER}---\n\n{text}"}) == []
    text_with_closed_fence = text.replace("count()", "count()\n```")
    assert len(find_rows("SPEC-005", {"SKILL.md": f"{FRONTMATTER}---\n\n{text_with_closed_fence}"})) == 1


def test_link_directly_above_a_stray_fence_may_be_a_sample():
    text = "# Guide\n\n- [one](wiki/one)\n- [two](wiki/two)\n{}```\n\n## Two\n\n```markdown\n# Two\n```\n"
    assert find_rows("SPEC-005", {"SKILL.md": f"{FRONTMATTER}---\n\n{text.format('')}"}) == []
    assert len(find_rows("SPEC-005", {"SKILL.md": f"{FRONTMATTER}---\n\n{text.format(chr(10))}"})) == 1


@pytest.mark.parametrize(("script", "severity"), [("cp CLAUDE.md ~/.claude/", Severity.LOW), ("ls", Severity.MEDIUM)])
def test_import_of_a_memory_file_for_the_home_is_low(script, severity):
    files = {"config/CLAUDE.md": "# Birds\n\n@RINGS.md\n", "config/sync.sh": f"#!/bin/sh\n{script}\n"}
    assert [row[1] for row in find_rows("PRJ-012", files, UnitKind.MEMORY)] == [severity]


@pytest.mark.parametrize(("title", "severity"), [("Additional Resources", Severity.LOW), ("Steps", Severity.MEDIUM)])
def test_dead_link_of_a_memory_file_to_further_texts_is_low(title, severity):
    files = {"CLAUDE.md": f"# Birds\n\n## {title}\n\n- [the list](docs/list.md)\n"}
    assert [finding[1] for finding in find_rows("PRJ-012", files, UnitKind.MEMORY)] == [severity]


@pytest.mark.parametrize(
    ("link", "memory", "severity"),
    [
        ("../../CLAUDE.md", ".claude/CLAUDE.md", Severity.LOW),
        ("../CLAUDE.md", "CLAUDE.md", Severity.LOW),
        ("../../CLAUDE.md", "docs/CLAUDE.md", Severity.MEDIUM),
        ("../../docs/CLAUDE.md", ".claude/CLAUDE.md", Severity.MEDIUM),
        ("../../AGENTS.md", "docs/AGENTS.md", Severity.MEDIUM),
    ],
)
def test_dead_link_to_the_memory_file_is_low_if_it_is_loaded(link, memory, severity):
    text = f"---\nname: counter\ndescription: Counts.\n---\n\nCount by [the rules]({link}).\n"
    files = {".claude/agents/counter.md": text, memory: "# Birds\n", "docs/list.md": "# List\n"}
    assert [row[1] for row in find_rows("PRJ-012", files, UnitKind.AGENT)] == [severity]


def test_dead_link_below_resources_to_a_file_of_the_skill_is_medium():
    text = "---\nname: count\ndescription: Counts birds.\n---\n\n## Resources\n\n- [all](references/all.md)\n- [bees](../bees/SKILL.md)\n"
    rows = find_rows(
        "SPEC-005", {"skills/count/SKILL.md": text, ".claude-plugin/plugin.json": '{"name": "b"}'}, UnitKind.SKILL
    )
    assert [row[1] for row in rows] == [Severity.MEDIUM, Severity.LOW]


def test_paths_of_a_list_of_examples_are_samples():
    paths = "`references/prices.md` for prices, `references/birds.md` for birds"
    assert find_rows("DF-009", {"SKILL.md": f"{FRONTMATTER}---\n\n- **Examples**: {paths}\n"}) == []
    rows = find_rows("DF-009", {"SKILL.md": f"{FRONTMATTER}---\n\n- **Read**: {paths}\n", "references/a/x.md": "# X\n"})
    assert rows == []
    assert len(find_rows("DF-009", {"SKILL.md": f"{FRONTMATTER}---\n\n- **Read**: {paths}\n"})) == 1


def test_missing_folder_in_a_folder_of_references_is_named():
    paths = "`references/go/a.md`, `references/py/b.md`"
    files = {"SKILL.md": f"{FRONTMATTER}---\n\nRead {paths}\n", "references/java/a.md": "# X\n"}
    assert "no folder `references/go`" in find_rows("DF-009", files)[0][2]


@pytest.mark.parametrize(("separator", "severity"), [(" · ", Severity.LOW), (", ", Severity.MEDIUM)])
def test_line_that_leads_to_all_parts_of_a_collection_is_further_reading(separator, severity):
    links = separator.join(f"[{name}](../{name}/)" for name in ("gulls", "owls", "terns"))
    files = {"skills/example/SKILL.md": f"{FRONTMATTER}---\n\n# Count\n\n{links}\n", "README.md": ""}
    assert {finding[1] for finding in find_rows("SPEC-005", files, UnitKind.SKILL)} == {severity}


def test_paths_below_an_address_are_fetched():
    text = f"{FRONTMATTER}---\n\n%sRead `references/a.md` and `references/b.md`.\n"
    assert len(find_rows("DF-009", {"SKILL.md": text % ""})) == 1
    assert find_rows("DF-009", {"SKILL.md": text % "Fetch each from `${BASE_RAW_URL}`.\n\n"}) == []


LIST_TEMPLATE = (
    "1. Write:\n   ```markdown\n   # Report\n   ```bash\n   count\n   ```\n   %s\n   ```\n\n2. Send it.\n%s\n"
)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("SPEC-005", "[a](references/nests.md)"),
        ("SPEC-005", "See [a](#nests) first."),
        ("DF-009", "Then go to Step 6."),
        ("DF-009", "Read `references/nest.md`."),
    ],
)
def test_end_of_a_sample_after_a_fence_inside_it_is_no_text(pattern, text):
    steps = f"{FRONTMATTER}---\n\n## Step 1: Sort\n\nSort.\n\n## Step 2: Tell\n\nTell.\n\n## Then\n\n"
    files = {"references/nestt.md": "# A\n"}
    for place, count in (((text, ""), 0), (("", text), 1)):
        assert len(find_rows(pattern, {**files, "SKILL.md": steps + LIST_TEMPLATE % place})) == count
    assert [row[0] for row in find_rows("PRJ-029", {**files, "SKILL.md": steps + LIST_TEMPLATE % ("", "")})] == [17]


@pytest.mark.parametrize(
    ("title", "severity"), [("References", Severity.LOW), ("参考资料", Severity.LOW), ("Steps", Severity.MEDIUM)]
)
def test_dead_link_out_of_the_skill_below_references_is_low(title, severity):
    text = f"{FRONTMATTER}---\n\n## {title}\n\n- [bees](../bees/SKILL.md)\n- [all](references/all.md)\n"
    files = {"skills/example/SKILL.md": text, ".claude-plugin/plugin.json": '{"name": "b"}'}
    assert {row[1] for row in find_rows("SPEC-005", files, UnitKind.SKILL)} == {severity, Severity.MEDIUM}


@pytest.mark.parametrize(
    ("target", "others", "count"),
    [
        ("../../vite.config.ts", [], 0),
        ("../../vite.config.ts", ["app/vite.config.ts"], 1),
        ("../../vite.md", [], 1),
    ],
)
def test_source_code_out_of_the_skill_may_be_the_users(target, others, count):
    files = {".claude/skills/example/SKILL.md": f"{FRONTMATTER}---\n\nThe aliases are in [it]({target}).\n"}
    assert len(find_rows("SPEC-005", files | dict.fromkeys(others, ""), UnitKind.SKILL)) == count


def test_links_to_several_targets_that_one_folder_lacks_are_one_finding():
    links = [f"Read [it]({target}).\n" for target in ("../a/SKILL.md", "../b/SKILL.md", "../c/d.md", "../c/e.md")]
    head = {"skills/tell/SKILL.md": f"{FRONTMATTER}---\n\nTell.\n", ".claude-plugin/plugin.json": '{"name": "b"}'}
    for count, causes in ((2, 2), (4, 1)):
        files = {**head, "skills/example/SKILL.md": f"{FRONTMATTER}---\n\n{''.join(links[:count])}"}
        assert len(find_rows("SPEC-005", files, UnitKind.SKILL)) == causes
    assert "4 targets of links do not exist in `skills`" in find_rows("SPEC-005", files, UnitKind.SKILL)[0][2]


def test_links_of_a_memory_file_to_files_of_similar_names_have_their_own_cause():
    links = "".join(f"Read [it](docs/{name}.md).\n" for name in ("ants", "bees", "cats", "dog", "elk", "fox"))
    files = {"CLAUDE.md": links, **dict.fromkeys((f"docs/x/{name}.md" for name in ("ants", "bees", "cats")), "")}
    messages = [row[2] for row in find_rows("PRJ-012", files, UnitKind.MEMORY)]
    assert ["similar" in message for message in messages] == [True, False]


@pytest.mark.parametrize(
    ("prefix", "place"), [("", "the folder of the skill"), ("../../", "the root of the project"), ("../", "`skills`")]
)
def test_folder_that_lacks_the_targets_is_named(prefix, place):
    links = "".join(f"Read [it]({prefix}{name}.md).\n" for name in ("ants", "bees", "cats"))
    files = {"skills/example/SKILL.md": f"{FRONTMATTER}---\n\n{links}", ".claude-plugin/plugin.json": '{"name": "b"}'}
    (message,) = (row[2] for row in find_rows("SPEC-005", files, UnitKind.SKILL))
    assert f"3 targets of links do not exist in {place}, such as `{prefix}ants.md`." in message


@pytest.mark.parametrize(("heading", "count"), [("## About", 0), ("About", 1)])
def test_link_in_a_quoted_document_leads_to_its_own_headings(heading, count):
    text = f"# Guide\n\n> - [Nests](#nests)\n>\n> {heading}\n>\n> We count birds.\n"
    assert len(find_rows("SPEC-005", {"SKILL.md": f"{FRONTMATTER}---\n\n{text}"})) == count


@pytest.mark.parametrize(
    ("note", "count"),
    [("A filtered view of https://github.com/birds/gulls-src.", 0), ("See https://github.com/birds/gulls-src.", 1)],
)
def test_script_of_an_export_may_be_in_its_source(note, count):
    text = f"{FRONTMATTER}---\n\nRun `sh scripts/tally.sh`.\n"
    files = {"skills/example/SKILL.md": text, "skills/example/scripts/count.sh": "exit 0\n", "README.md": f"{note}\n"}
    assert len(find_rows("PRJ-042", files, UnitKind.SKILL)) == count


@pytest.mark.parametrize(
    ("head", "row", "first"),
    [
        ("File | Read", "`references/grades.md` | Storage of new results", [10]),
        ("Topic | File", "Create a form | `references/grades.md`", [10]),
        ("Topic | Output", "Grades | `references/grades.md`", []),
        ("Topic | File", "Grades | write `references/grades.md`", [11]),
        ("File | Read", "`references/grades.md` | generated by step 2", [11]),
        ("File | Read", "`references/grades.md` | optional", [11]),
    ],
)
def test_words_of_creation_in_a_table_count_in_the_cell_of_the_path(head, row, first):
    names = ("totals", "sums")
    others = (
        f"| `references/{n}.md` | Sum |\n" if head != "Topic | Output" else f"| Sum | `references/{n}.md` |\n"
        for n in names
    )
    text = f"{FRONTMATTER}---\n\n# Audit\n\n| {head} |\n|---|---|\n| {row} |\n{''.join(others)}"
    assert [finding[0] for finding in find_rows("DF-009", {"SKILL.md": text})] == first


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        (("../docs/owls.md",), ["does not exist: write `../../docs/owls.md`."]),
        (("../docs/owls.md", "../docs/terns.md"), ["does not exist: write `../../docs/owls.md`."]),
        (("../notes.md",), ["does not exist: write `notes.md`."]),
        (("../.claude/agents/notes.md",), ["does not exist: write `notes.md`."]),
        (("../docs/gone.md",), ["does not exist."]),
        (("../both.md",), ["does not exist."]),
    ],
)
def test_link_with_a_wrong_number_of_parents_is_low(targets, expected):
    links = "".join(f"See [it]({target}).\n\n" for target in targets)
    files = {
        ".claude/agents/counter.md": f"---\nname: counter\ndescription: Counts.\n---\n\n{links}",
        ".claude/agents/notes.md": "---\nname: notes\ndescription: Notes.\n---\n\nNote.\n",
        **dict.fromkeys(("docs/owls.md", "docs/terns.md", "both.md", ".claude/agents/both.md"), "# Birds\n"),
    }
    rows = find_rows("PRJ-012", files, UnitKind.AGENT)
    assert [message.partition("` ")[2] for _, _, message in rows] == expected
    assert {row[1] for row in rows} == {Severity.LOW if "write" in expected[0] else Severity.MEDIUM}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Read FORMS.md first.\n", 1),
        ("## Forms (FORMS.md)\n\nFill them in.\n", 0),
        ("Read FORMS.md first.\n\nOf `forms.md`, the first part counts.\n", 0),
        ("Read FORMS.md first.\n\n\n\nOf `forms.md`, the first part counts.\n", 1),
    ],
)
def test_name_in_another_case_in_a_heading_or_beside_the_right_one_is_no_fault(text, count):
    files = {"SKILL.md": f"{FRONTMATTER}---\n\n# Count\n\n{text}", "forms.md": "# Forms\n\nFill in.\n"}
    assert len(find_rows("DF-009", files)) == count


def test_names_in_another_case_are_one_finding_of_the_skill():
    files = {
        "SKILL.md": f"{FRONTMATTER}---\n\n# Count\n\nRead FORMS.md and LISTS.md.\n",
        "forms.md": "# Forms\n\nFill in.\n",
        "lists.md": "# Lists\n\nFirst read FORMS.md.\n",
    }
    ((line, severity, message),) = find_rows("DF-009", files)
    assert (line, severity) == (8, Severity.LOW)
    assert message.startswith("`FORMS.md`, `LISTS.md` do not exist; the files are named `forms.md`, `lists.md`.")


@pytest.mark.parametrize(("place", "count"), [("packs/birds/", 0), ("notes/birds/", 1), ("packs/birds", 1)])
def test_paths_below_an_ignored_folder_are_not_missing(place, count):
    rows = "| a | `references/owls.md` |\n| b | `references/terns.md` |\n"
    text = f"{FRONTMATTER}---\n\nExternal reference: `{place}`\n\n| Kind | Reference |\n|---|---|\n{rows}"
    project = replace(
        make_project({".claude/skills/example/SKILL.md": text}), matches_ignore=lambda path: path.startswith("packs/")
    )
    (case,) = list_unit_cases(project)
    assert len(scan(case, [get_patterns()["DF-009"]]).open) == count


@pytest.mark.parametrize(
    ("anchor", "count"),
    [("phase-2-counts", 0), ("phase-2-counts-large-ones", 0), ("phase-3-counts", 1), ("phase-2-sums", 1)],
)
def test_anchor_of_a_part_of_a_template_may_lack_its_note(anchor, count):
    text = f"{FRONTMATTER}---\n\n# Count\n\n- [it](#{anchor})\n\n```markdown\n## Phase 2: Counts    [large]\n```\n"
    text += "\n```markdown\n## Phase 2: Counts\n```\n" if anchor.endswith("ones") else ""
    assert len(find_rows("SPEC-005", {"SKILL.md": text})) == count


def test_absolute_path_to_a_folder_ends_and_hides_no_missing_reference():
    text = "Read `references/gulls.md` and `references/rings.md` first.\n\nReference files in `/references/`.\n"
    assert len(find_rows("DF-009", {"SKILL.md": f"{FRONTMATTER}---\n\n{text}"})) == 1


@pytest.mark.parametrize(("owner", "count"), [("ring:gulls", 0), ("ring:terns", 1)])
def test_path_of_another_skill_that_the_line_names_exists(owner, count):
    files = {
        "skills/example/SKILL.md": f"{FRONTMATTER}---\n\n# Count\n\nThe rules: `{owner}` `references/tide.md` § Ebb.\n",
        "skills/example/references/tides.md": "# Tides\n",
        "skills/gulls/SKILL.md": "---\nname: gulls\ndescription: Rings gulls.\n---\n\n# Gulls\n",
        "skills/gulls/references/tide.md": "# Tide\n",
    }
    assert len(find_rows("DF-009", files, UnitKind.SKILL)) == count
