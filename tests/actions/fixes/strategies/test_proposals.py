"""Test that a strategy drafts a fix only if exactly one outcome is possible for all locations of the fault."""

import pytest
from msgspec.structs import replace

from actions.fixes.strategies import find_strategy
from actions.steps.propose_fixes import act as propose
from schemas.vocabulary import Risk
from tests.actions.fixes.strategies.drafts import FILE, draft_at, make_frontmatter
from tests.actions.fixes.strategies.issues import make_read_issue
from tests.examples import make_example_case
from tests.fakes import make_diagnosed_state, make_tools


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
