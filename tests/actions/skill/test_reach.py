"""Test which texts of a skill a run reads, and that only DF-010 reports the others."""

import pytest
from msgspec.structs import replace

from actions.patterns.spec import spec_005_broken_link
from actions.scoring.scan import scan
from actions.skill.reach import find_unread
from tests.examples import list_project_cases, make_example_case

HEAD = "---\nname: example\ndescription: Counts words. Use when a text must be counted.\n---\n\n"
DEAD_LINK = "# Nests\n\nSee [eggs](eggs.md).\n"
COPY = "skills__count__SKILL.md"
PASSAGE = "".join(f"Write down for bay {n} how many birds of each kind stand, swim or fly there.\n" for n in range(30))


def list_unread(body, **files):
    named_files = {path.replace("__", "/", 1) + ".md": text for path, text in files.items()}
    return sorted(find_unread(make_example_case({"SKILL.md": HEAD + body, **named_files}).skill))


@pytest.mark.parametrize(
    "body",
    [
        "See [it](references/nests.md).",
        "Then read nests.md.",
        "Then come the nests.",
        "Read all of `references/`.",
        "Read `references/*.md`.",
        "Read references/{bird}.md.",
    ],
)
def test_text_that_skill_md_refers_to_is_read(body):
    assert list_unread(body, references__nests=DEAD_LINK) == []


@pytest.mark.parametrize(
    "body", ["Read `{bird}.md`.", "Read `*.md`.", "Read every file in this folder.", "ls ${CLAUDE_SKILL_DIR}"]
)
def test_text_next_to_skill_md_is_read_if_a_pattern_matches(body):
    assert list_unread(body, nests=DEAD_LINK) == []


@pytest.mark.parametrize("folder", ["phases", "agents", "commands", "agents/small"])
def test_text_that_claude_code_or_an_orchestrator_finds_is_read(folder):
    files = {"SKILL.md": f"{HEAD}Count.\n", f"{folder}/nests.md": DEAD_LINK}
    assert not find_unread(make_example_case(files).skill)


def test_text_is_read_through_another_text_or_a_script():
    assert list_unread("See bays.md.", references__bays="See gulls.md.", references__gulls="Gulls.") == []
    files = {"SKILL.md": f"{HEAD}Count.\n", "scripts/a.py": "open('nests.md')\n", "references/nests.md": DEAD_LINK}
    assert not find_unread(make_example_case(files).skill)


def test_texts_that_refer_only_to_each_other_are_unread():
    assert list_unread("Count.\n", bays="See gulls.md.", gulls="See bays.md.") == ["bays.md", "gulls.md"]


def test_file_name_in_a_readme_counts_unlike_a_placeholder():
    assert list_unread("Count.\n", README="- nests.md: where\n", nests=DEAD_LINK) == []
    assert list_unread("Count.\n", README="- {name}.md: nests\n", nests=DEAD_LINK) == ["nests.md"]


def test_copy_with_the_title_of_skill_md_is_unread():
    files = {"SKILL.md": f"{HEAD}# Count birds\n\n{PASSAGE}", COPY: f"{HEAD}# Count birds\n\n{PASSAGE}"}
    assert find_unread(make_example_case(files).skill) == {COPY}


def list_findings(files):
    return sorted((finding.pattern.id, finding.file) for finding in scan(make_example_case(files)).findings)


def test_only_df_010_reports_a_text_that_no_run_reads():
    files = {"SKILL.md": f"{HEAD}Count.\n\n{PASSAGE}", "references/nests.md": f"{DEAD_LINK}\n{PASSAGE}"}
    assert list_findings(files) == [("DF-010", "references/nests.md")]
    files_with_mention = {**files, "SKILL.md": f"{HEAD}Read nests.md.\n\n{PASSAGE}"}
    assert list_findings(files_with_mention) == [("SPEC-005", "references/nests.md"), ("TKN-006", "SKILL.md")]


def test_copies_beside_skill_md_have_no_findings():
    text = f"{HEAD}# Count birds\n\nSee [eggs](eggs.md).\n\n{PASSAGE}"
    assert list_findings({"SKILL.md": text, COPY: text, f"b__{COPY}": text}) == [("SPEC-005", "SKILL.md")]


def test_text_that_an_agent_of_the_plugin_names_is_read():
    files = {
        ".claude-plugin/plugin.json": '{"name": "birds"}',
        "skills/count/SKILL.md": f"{HEAD}Count.\n",
        "skills/count/references/nests.md": DEAD_LINK,
        "agents/counter.md": "---\nname: counter\ndescription: Counts.\n---\n\nRead references/nests.md.\n",
    }
    (case,) = list_project_cases(spec_005_broken_link, files)
    assert [finding.file for finding in scan(case, [spec_005_broken_link]).findings] == ["references/nests.md"]


def test_search_beyond_the_time_limit_does_not_stop_the_checks():
    """Without the search, every text counts as read. No check repeats the search, except that of DF-010."""
    calls = []

    def run_all_but_first(work):
        calls.append(work)
        if len(calls) == 1:
            raise TimeoutError
        work()

    case = make_example_case({"SKILL.md": f"{HEAD}Count.\n", "references/nests.md": DEAD_LINK})
    result = scan(replace(case, limited=run_all_but_first), [spec_005_broken_link])
    assert [finding.file for finding in result.findings] == ["references/nests.md"]
    assert (result.failed, len(calls)) == ({}, 2)
