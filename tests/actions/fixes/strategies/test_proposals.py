"""Test that a strategy drafts a fix only if exactly one outcome is possible for all locations of the fault."""

import pytest
from msgspec.structs import replace

from actions.fixes.strategies import find_strategy
from actions.steps.propose_fixes import act as propose
from schemas.vocabulary import Risk
from tests.actions.fixes.strategies.issues import make_read_issue
from tests.examples import make_example_case
from tests.fakes import make_diagnosed_state, make_tools

FILE = "# A file\n\nIt says what it says.\n"


def draft_at(name, pattern, example, file="SKILL.md"):
    """Return the first draft that a strategy makes for a finding on any line of a file, as text by path, or None."""
    case = make_example_case(example)
    module, lines = find_strategy(name), case.skill.by_path[file].doc.lines
    drafts = (module.propose(make_read_issue(pattern, file, n), case) for n in range(1, len(lines) + 1))
    draft = next((d for d in drafts if d), None)
    return draft and {path: data.decode() for path, data in draft.writes.items()}


def make_frontmatter(**keys):
    lines = {"name": "example", "description": "Counts words. Use when asked.", **keys}
    return "---\n" + "".join(f"{key.replace('__', '-')}: {value}\n" for key, value in lines.items()) + "---\n\n"


class TestReference:
    def fix(self, text, *paths):
        return draft_at("repair_reference", "SPEC-005", {"SKILL.md": text, **dict.fromkeys(paths, FILE)})

    @pytest.mark.parametrize(
        "paths",
        [
            ("references/import-rules.md",),
            ("references/v2/export_rules.md", "references/v1/export_rules.md"),
            ("archive/export-rules.md",),
            ("tests/export-rules.md",),
        ],
        ids=["another word", "two files of that name", "an archived one", "one of the tests"],
    )
    def test_target_without_one_clear_candidate_stays(self, paths):
        assert self.fix("Read [the rules](references/export-rules.md).\n", *paths) is None

    @pytest.mark.parametrize(
        ("target", "path"),
        [
            ("de/guide.md", "fr/guide.md"),
            ("references/v1/schema.md", "references/v2/schema.md"),
            ("prod/config.yaml", "config.yaml"),
            ("old/rules.md", "references/rules.md"),
            ("scripts/setup.sh", "scripts/setup.py"),
            ("assets/form.yaml", "assets/form.json"),
            ("SKILL.md#uninstall", "SKILL.md#install"),
        ],
    )
    def test_other_folder_suffix_or_first_letter_is_not_a_candidate(self, target, path):
        other_section, _, heading = path.partition("#")
        text = f"Read [it]({target}).\n\n## {heading.title() or 'More'}\n\nThe end.\n"
        assert self.fix(text, *({other_section} - {"SKILL.md"})) is None

    def test_file_with_a_correct_link_is_not_a_candidate(self):
        text = "Read [one](references/rule.md) and [all](references/rules.md).\n"
        assert self.fix(text, "references/rules.md") is None

    def test_line_with_an_unclear_target_stays(self):
        text = "Read [one](references/a-scale.md) and [two](references/gone.md).\n"
        assert self.fix(text, "references/a_scale.md") is None

    def test_links_to_one_missing_file_are_one_fix(self):
        files = {
            "SKILL.md": "Read [it](docs/scale.md), then `docs/scale.md`.\n\nAgain [it](docs/scale.md#five).\n",
            "references/more.md": "# More\n\nSee [it](docs/scale.md).\n",
            "references/scale.md": FILE,
        }
        new = draft_at("repair_reference", "SPEC-005", files)
        assert new["SKILL.md"].count("references/scale.md") == 3
        assert "docs/scale.md" not in new["SKILL.md"]
        assert new["references/more.md"] == "# More\n\nSee [it](scale.md).\n"

    def test_targets_in_one_misnamed_folder_are_one_fix(self):
        text = "- [A](reference/a.md)\n- [B](reference/b.md)\n\nThen [C](reference/gone.md).\n"
        new = self.fix(text, "references/a.md", "references/b.md")["SKILL.md"]
        assert new.endswith(text.replace("reference/a", "references/a").replace("reference/b", "references/b"))

    def test_name_in_wrong_case_is_corrected_everywhere_in_prose(self):
        text = "For forms read FORMS.md; see it.\n\n| Do | See |\n|---|---|\n| fill | FORMS.md |\n\n```sh\ncp FORMS.md x\n```\n"
        new = draft_at("repair_reference", "DF-009", {"SKILL.md": text, "references/forms.md": FILE})["SKILL.md"]
        assert new.count("forms.md") == 2
        assert "cp FORMS.md x" in new
        two = {"SKILL.md": text, "references/forms.md": FILE, "specs/Forms.md": FILE}
        assert draft_at("repair_reference", "DF-009", two) is None

    @pytest.mark.parametrize(
        ("headings", "is_fixed"),
        [
            (["Every week (personal only)"], True),
            (["Every week (personal only)", "Every week (teams)"], False),
            (["Every week of the year"], False),
        ],
    )
    def test_heading_matches_without_its_parentheses(self, headings, is_fixed):
        text = "See [it](#every-week).\n\n" + "".join(f"## {heading_text}\n\nLook.\n\n" for heading_text in headings)
        new = self.fix(text)
        assert ("(#every-week-personal-only)" in new["SKILL.md"]) if is_fixed else new is None

    def test_path_one_level_short_is_corrected_in_all_links(self):
        text = "# More\n\n- [`../tide/SKILL.md`](../tide/SKILL.md) first\n- [ebb](../ebb/SKILL.md)\n"
        case = make_example_case({"references/more.md": text})
        issue, module = make_read_issue("SPEC-005", "references/more.md", 3), find_strategy("repair_reference")
        assert module.propose(issue, case) is None
        outside_words = frozenset({"../tide/SKILL.md", "../ebb/SKILL.md"})
        draft = module.propose(issue, case.with_skill(replace(case.skill, outside=outside_words)))
        assert draft.writes == {"references/more.md": text.replace("../", "../../").encode()}
        assert "`../ebb/SKILL.md` is one folder higher" in draft.description

    MISSPELLED_LINKS = (
        "- [A](references/first-scales.md)\n- [B](references/Second_scale.md)\n- [C](references/third-scale.txt)\n"
    )
    PATHS = ("references/first-scale.md", "references/second-scale.md", "references/third-scale.md")

    def test_dead_paths_of_one_list_are_one_fix(self):
        new = self.fix(f"{self.MISSPELLED_LINKS}\nThen [D](references/third-scales.md).\n", *self.PATHS)["SKILL.md"]
        assert all(f"]({path})" in new for path in self.PATHS)
        assert "third-scales.md" in new

    def test_findings_of_one_list_are_one_fix(self):
        for count, issues in ((2, 2), (3, 1)):
            links = "".join(self.MISSPELLED_LINKS.splitlines(keepends=True)[:count])
            case = make_example_case({"SKILL.md": links, **dict.fromkeys(self.PATHS, FILE)})
            (fix,) = propose(make_diagnosed_state(case), case, make_tools()).state.proposed_fixes
            assert len(fix.issue_ids) == issues

    def test_five_dead_links_to_one_file_have_one_fix(self):
        links = "".join(f"Look at [it](docs/scale.md) {n} times.\n\n" for n in range(5))
        case = make_example_case({"SKILL.md": links, "references/scale.md": FILE})
        (fix,) = propose(make_diagnosed_state(case), case, make_tools()).state.proposed_fixes
        assert fix.changes[0].diff.count("\n+") == 5 + 1  # and the line that names the file

    def test_target_in_a_bad_example_stays(self):
        text = "Read [it](docs/scale.md).\n\n## Bad\n\nRead [it](docs/scale.md) twice.\n"
        new = self.fix(text, "references/scale.md")["SKILL.md"]
        assert (new.count("references/scale.md"), new.count("docs/scale.md")) == (1, 1)

    @pytest.mark.parametrize(
        "text",
        [
            "Save the report as [it](output/grades.md) for the user.\n",
            "Read [the last](docs/grades.md).\n\nThen write the new ones to `docs/grades.md`.\n",
        ],
    )
    def test_path_that_a_run_may_write_stays(self, text):
        assert self.fix(text, "references/grades.md") is None

    def test_path_that_code_writes_is_not_corrected(self):
        text = "Read [it](docs/grades.md).\n\n```bash\ncp out.md docs/grades.md\n```\n"
        new = self.fix(text, "references/grades.md")["SKILL.md"]
        assert ("[it](references/grades.md)" in new, "cp out.md docs/grades.md" in new) == (True, True)

    def test_anchor_is_corrected_to_a_similar_heading(self):
        text = "See [it](#breaking-tie).\n\n## Breaking ties\n\nThe older one.\n\n## Grades\n\nFive.\n"
        assert "[it](#breaking-ties)" in self.fix(text)["SKILL.md"]

    def test_anchor_of_another_file_stays(self):
        files = {"references/a.md": "# A\n\n## Ties\n", "references/b.md": "# B\n\n## Tie\n\n## Ties\n"}
        text = "See [a](references/a.md#tie) and [b](references/b.md#tie).\n"
        new = draft_at("repair_reference", "SPEC-005", {"SKILL.md": text, **files})["SKILL.md"]
        assert new.endswith("See [a](references/a.md#ties) and [b](references/b.md#tie).\n")

    @pytest.mark.parametrize("title", ["Pre-deployment checklist", "Deployment"])
    def test_anchor_without_a_similar_heading_stays(self, title):
        assert self.fix(f"See [it](#post-deployment-checklist).\n\n## {title}\n\nCheck.\n") is None


class TestDeadEntry:
    LIVE = "- [Scale](references/scale.md): the grades\n"

    def fix(self, text):
        return draft_at("drop_dead_entry", "SPEC-005", {"SKILL.md": f"# A\n\n{text}", "references/scale.md": FILE})

    @pytest.mark.parametrize(
        "entry",
        [
            "- [Cases](references/cases.md) before you grade\n",
            "- [Cases](references/cases.md): see also [more](references/scale.md)\n",
            "- Read [Cases](references/cases.md)\n",
            "- [Cases](references/cases.md): worked\n  - each with a grade\n",
            "- [Look](phases/01-look.md): the first step\n",
            "1. [Cases](references/cases.md): worked\n",
            "- [Grades](references/scales.md): nearly the same name\n",
            "- [Cases](references/cases.md): use three per grade, stop at any that fails\n",
        ],
        ids=[
            "a sentence",
            "another link",
            "a verb",
            "more below",
            "a step",
            "numbered",
            "a misspelling",
            "two things",
        ],
    )
    def test_item_that_is_more_than_an_entry_stays(self, entry):
        assert self.fix(self.LIVE + entry) is None

    @pytest.mark.parametrize(
        ("description", "risk"), [("", None), (": worked", Risk.HIGH), (": ask a parent to sign", Risk.HIGH)]
    )
    def test_description_of_a_dead_reference_raises_the_risk(self, description, risk):
        text = f"# A\n\n{self.LIVE}- [Cases](references/cases.md){description}\n"
        case = make_example_case({"SKILL.md": text, "references/scale.md": FILE})
        line = next(n for n, words in enumerate(case.skill.by_path["SKILL.md"].doc.lines, 1) if "cases.md" in words)
        draft = find_strategy("drop_dead_entry").propose(make_read_issue("SPEC-005", "SKILL.md", line), case)
        assert (draft.risk, description.strip(": ") in draft.rationale) == (risk, True)

    def test_entry_with_two_candidates_stays(self):
        two = {"SKILL.md": f"# A\n\n- [B](references/b.md): two\n{self.LIVE}", "references/scale.md": FILE}
        assert draft_at("drop_dead_entry", "SPEC-005", {**two, "v1/b.md": FILE, "v2/b.md": FILE}) is None

    def test_list_of_only_dead_entries_stays(self):
        assert self.fix("- [A](references/a.md): one\n- [B](references/b.md): two\n") is None
        assert self.fix("- [A](references/a.md): one\n- `references/b.md`: two\n") is None

    def test_dead_entries_of_one_list_are_removed_together(self):
        dead_entries = "- [A](references/a.md): one\n- [B](references/b.md): two\n"
        other_section = "\n## More\n\n- [C](references/c.md): three\n" + self.LIVE
        assert self.fix(dead_entries + self.LIVE + other_section)["SKILL.md"].endswith(
            "# A\n\n" + self.LIVE + other_section
        )


class TestTools:
    def fix(self, call, tools="Read"):
        return draft_at(
            "declare_tools", "AGT-005", f"{make_frontmatter(allowed__tools=tools)}# A\n\n```js\n{call}\n```\n"
        )

    @pytest.mark.parametrize(
        "call",
        ["Bash(command)", 'Bash("make all && rm -r out")', 'Bash("python3 -c 1")', "Bash(`make ${target}`)"],
        ids=["a variable", "two commands", "any program", "a placeholder"],
    )
    def test_bash_is_not_added_for_an_unreadable_command(self, call):
        assert self.fix(call) is None

    def test_bash_is_allowed_for_the_called_commands_only(self):
        new = self.fix('Bash("make all"); Bash({ command: "python3 scripts/a.py x" })')["SKILL.md"]
        assert "allowed-tools: Read, Bash(make:*), Bash(python3 scripts/a.py:*)\n" in new

    def test_several_tools_on_one_line_are_one_fix(self):
        new = self.fix('Write("a.md", WebFetch("https://example.org", "sum it up"))')["SKILL.md"]
        assert "allowed-tools: Read, Write, WebFetch\n" in new or "allowed-tools: Read, WebFetch, Write\n" in new

    @pytest.mark.parametrize(
        ("listed", "expected_tools"),
        [('"Read"', '"Read, Write"'), ("Read Glob", "Read Glob Write"), ("[Read, Glob]", "[Read, Glob, Write]")],
    )
    def test_list_of_tools_keeps_its_style(self, listed, expected_tools):
        assert f"allowed-tools: {expected_tools}\n" in self.fix('Write("a.md", text)', listed)["SKILL.md"]


class TestAgentType:
    CALL = '# A\n\n```js\nTask({{ subagent_type: "{}", prompt: "Look." }})\n```\n\n{}\n'

    def fix(self, name, text="", **agents):
        files = {f"agents/{n.replace('_', '-')}.md": FILE for n in agents}
        return draft_at("correct_agent_type", "AGT-007", {"SKILL.md": self.CALL.format(name, text), **files})

    def test_type_that_the_text_mentions_stays(self):
        assert self.fix("style-reviewers", "The style-reviewers live in the plugin.", style_reviewer=1) is None
        assert self.fix("style-reviewers", "Then stop.", style_reviewer=1) is not None

    def test_type_with_two_candidates_stays(self):
        assert self.fix("code-reader", "", code_readers=1, code_readerr=1) is None


class TestTypes:
    TYPE_DEFINITION = "interface Find { file: string; line: number; rule: string }"

    def fix(self, second, first=TYPE_DEFINITION, spec="specs/a.md", other_section="phases/01-b.md"):
        files = {
            spec: f"# Shapes\n\n```ts\n{first}\n```\n",
            other_section: f"# B\n\nOf this shape:\n\n```ts\n{second}\n```\n",
        }
        return draft_at("consolidate_types", "DOC-RED-003", files, other_section)

    def test_definition_with_its_own_comment_stays(self):
        assert self.fix(self.TYPE_DEFINITION + " // only new ones") is None
        assert self.fix(self.TYPE_DEFINITION) is not None

    def test_comment_has_the_language_of_a_fence_without_a_name(self):
        python = "class Finding(TypedDict):\n    file: str\n    line: int\n    rule: str"
        files = {
            "specs/a.md": f"# Shapes\n\n```python\n{python}\n```\n",
            "phases/01-b.md": f'# B\n\n```\n{python}\n\nTask(subagent_type="Explore", prompt="Look.")\n```\n',
        }
        new = draft_at("consolidate_types", "DOC-RED-003", files, "phases/01-b.md")
        assert "\n# Finding: see specs/a.md\n" in new["phases/01-b.md"]

    def test_definition_with_another_field_stays(self):
        assert self.fix(self.TYPE_DEFINITION.replace("number", "string")) is None

    @pytest.mark.parametrize(("spec", "other_section"), [("phases/a.md", "phases/b.md"), ("specs/a.md", "specs/b.md")])
    def test_definitions_in_files_of_one_role_stay(self, spec, other_section):
        assert self.fix(self.TYPE_DEFINITION, spec=spec, other_section=other_section) is None


class TestFrontmatter:
    def fix(self, pattern, text, **files):
        paths = {name.replace("__", "/") + ".py": source for name, source in files.items()}
        return draft_at("repair_frontmatter", pattern, {"SKILL.md": text, **paths})

    @pytest.mark.parametrize("key", ["tags", "related_skills", "models", "locale", "tools", "category"])
    def test_unknown_key_stays(self, key):
        assert self.fix("SPEC-004", make_frontmatter(**{key: "Read"}) + "# A\n\nCount.\n") is None

    def test_misspelled_key_that_a_script_reads_stays(self):
        text = make_frontmatter(allowed_tools="Read") + "# A\n\nCount.\n"
        assert self.fix("SPEC-004", text, scripts__a="print(head['allowed_tools'])\n") is None
        assert "allowed-tools: Read\n" in self.fix("SPEC-004", text)["SKILL.md"]
        case = make_example_case({"SKILL.md": text})
        case_with_outside_word = case.with_skill(replace(case.skill, outside=frozenset({"allowed_tools"})))
        assert find_strategy("repair_frontmatter").propose(make_read_issue("SPEC-004", "SKILL.md", 4), case)
        assert (
            find_strategy("repair_frontmatter").propose(
                make_read_issue("SPEC-004", "SKILL.md", 4), case_with_outside_word
            )
            is None
        )

    @pytest.mark.parametrize(
        ("key", "risk"),
        [("allowed_tools", Risk.HIGH), ("disable_model_invocation", Risk.HIGH), ("argument_hint", Risk.LOW)],
    )
    def test_key_that_changes_behaviour_has_high_risk(self, key, risk):
        case = make_example_case({"SKILL.md": make_frontmatter(**{key: "true"}) + "# A\n\nCount.\n"})
        (fix,) = propose(make_diagnosed_state(case), case, make_tools()).state.proposed_fixes
        assert fix.risk is risk

    def test_misspelled_key_beside_the_correct_one_stays(self):
        assert self.fix("SPEC-004", make_frontmatter(allowed__tools="Read", allowed_tools="Grep") + "Count.\n") is None

    @pytest.mark.parametrize("name", ["'ex:ample'", "other-name", "Other Name"])
    def test_name_unlike_the_folder_stays(self, name):
        assert self.fix("SPEC-002", make_frontmatter(name=name) + "Count.\n") is None

    def test_missing_name_is_that_of_the_folder(self):
        new = self.fix("SPEC-002", "---\ndescription: Counts words.\n---\n\nCount.\n")["SKILL.md"]
        assert new.startswith("---\nname: example\ndescription: ")

    def test_text_after_the_closing_mark_stays(self):
        new = self.fix("SPEC-001", "---\nname: example\ndescription: Use when: asked\n--- # Title\n\nCount.\n")[
            "SKILL.md"
        ]
        assert new == '---\nname: example\ndescription: "Use when: asked"\n--- # Title\n\nCount.\n'

    def test_frontmatter_that_quotes_cannot_repair_stays(self):
        assert self.fix("SPEC-001", '---\nname: example\ndescription: "Counts: words\n---\n\nCount.\n') is None


class TestScripts:
    PARSER = "import argparse\n\np = argparse.ArgumentParser()\n{}\nargs = p.parse_args()\n"
    OUT = "p.add_argument('--output-file')"

    def fix(self, text, options=OUT, **others):
        files = {f"scripts/{name}.py": source for name, source in others.items()}
        files |= {"SKILL.md": f"# A\n\n{text}", "scripts/count.py": self.PARSER.format(options)}
        return draft_at("reconcile_conflicting_definitions", "DOC-CON-002", files)

    @pytest.mark.parametrize(
        "options",
        ["p.add_argument('--output-dir')", "p.add_argument('--outputfiles')\np.add_argument('--output-file')"],
        ids=["another word", "two similar options"],
    )
    def test_option_without_one_similar_option_stays(self, options):
        assert self.fix("Run `python3 scripts/count.py --outputfile a.json`.\n", options) is None

    def test_misspelled_option_is_corrected_everywhere(self):
        new = self.fix("Run `python3 scripts/count.py --outputfile a`.\n\nThe file behind `--outputfile` is new.\n")
        assert (new["SKILL.md"].count("--output-file"), new["SKILL.md"].count("--outputfile")) == (2, 0)

    def test_option_of_another_program_stays(self):
        call = "Run `python3 scripts/count.py --outputfile a`.\n\nThen `pandoc --outputfile b a`, see `--outputfile`.\n"
        new = self.fix(call)["SKILL.md"]
        assert new.endswith(
            "`python3 scripts/count.py --output-file a`.\n\nThen `pandoc --outputfile b a`, see `--outputfile`.\n"
        )
        assert self.fix("Run `python3 scripts/count.py --outputfile a | pandoc --outputfile b`.\n") is None

    def test_option_of_another_script_stays(self):
        call = "Run `python3 scripts/count.py --outputfile a.json`.\n"
        other_section = self.PARSER.format("p.add_argument('--outputfile')")
        assert self.fix(call, write=other_section) is None
        assert "scripts/count.py --output-file a.json" in self.fix(call)["SKILL.md"]

    def test_numbers_in_prose_stay(self):
        assert (
            self.fix("Retry at most 3 times.\n\n## Limits\n\nRetry at most 5 times, see `scripts/count.py`.\n") is None
        )

    def test_default_in_a_sentence_or_with_two_numbers_stays(self):
        option = "p.add_argument('--words', type=int, default=800)"
        text = "## scripts/count.py\n\n- `--words N`: of 500 pages{} (default: 500)\n"
        assert self.fix(text.format(""), option) is None
        for sentence in ("Before 2.0 it was `--words N` (default: 500).", "- In 1.0 `--words N` (default: 500)"):
            assert self.fix(f"## scripts/count.py\n\n{sentence}\n", option) is None
        assert "(default: 800)" in self.fix(text.replace("500 pages", "many pages").format(""), option)["SKILL.md"]
