"""Test which references a strategy corrects or removes, and which it leaves."""

import pytest
from msgspec.structs import replace

from actions.fixes.strategies import find_strategy
from actions.steps.propose_fixes import act as propose
from schemas.vocabulary import Risk
from tests.actions.fixes.strategies.drafts import FILE, draft_at
from tests.actions.fixes.strategies.issues import make_read_issue
from tests.examples import make_example_case
from tests.fakes import make_diagnosed_state, make_tools


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
