"""The patterns of token consumption: what they see beyond their own examples, and what they leave alone."""

import pytest

from actions.example import example_case
from actions.facts.docs.repetition import repeated, repetitions
from actions.facts.docs.verbatim import copies
from actions.patterns.tokens import (
    tkn_001_said_twice,
    tkn_003_content_for_path,
    tkn_004_growing_array,
    tkn_005_write_then_read,
    tkn_006_copied_from_reference,
    tkn_007_only_one_branch,
)
from schemas.vocabulary import Severity


def seen(pattern, example):
    return list(pattern.look(example_case(example)))


def fenced(code, lang="javascript"):
    return f"# Work\n\nThe state lives in `state.json`.\n\n```{lang}\n{code}\n```\n"


BLOCK = "".join(
    f"- Gate {n}: the clerk on duty checks the seal, the weight and the owner of the crate.\n" for n in range(10)
)


class TestSaidTwice:
    def test_neighbouring_repeats_are_one_group_with_the_first_place(self):
        rules = "Ask the owner before a crate of another ship is opened or moved.\n\nWeigh each crate twice when the seal is older than a week.\n"
        gap = "".join(f"\nBerth {n} is free.\n" for n in range(9))
        (group,) = repetitions(example_case(f"# Port\n\n{rules}{gap}\n{rules}").skill.main)
        assert (group.first, group.count, group.end - group.start) == (8, 2, 2)

    def test_parallel_lines_of_one_list_are_no_repeats(self):
        assert seen(tkn_001_said_twice, f"# Port\n\n{BLOCK}") == []

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("Reference of the crate by the pier: guide of the port, Step 6-7", "Reference of the crate by the pier: guide of the port, Step 5"),
            ('Crates go to the pier or the gate when `way = "Ship"` holds for them', 'Crates go to the pier or the gate when `way = "Cart"` holds'),
            ("Task port:ce-best-crates-clerk (weight, seal, owner, date of the crate)", "Task port:ce-old-crates-clerk (weight, seal, owner and the date of the crate)"),
            ('Tell the owner of each sealed crate "it has come" at the pier', 'Tell the owner of the sealed crate "it is gone" at the pier'),
        ],
    )  # fmt: skip
    def test_short_statements_about_different_values_are_parallel(self, first, second):
        def told_again(other):
            between = "".join(f"{word} is counted.\n\n" for word in "Tea Salt Rice Wool Iron Coal Oil Wine".split())
            case = example_case(f"# Port\n\n{first}\n\n{between}{other}\n")
            return [repeat.line for repeat in repeated(case.skill.main)]

        assert told_again(second) == []
        assert told_again(first.replace(" the ", " a ")) != []

    def test_a_table_row_may_be_long(self):
        assert seen(tkn_001_said_twice, "# Port\n\n| a | b |\n|---|---|\n| " + "word " * 300 + "| x |\n") == []


class TestContentForPath:
    def test_a_part_of_a_file_is_left_alone(self):
        code = "const a = Read('a.md')\nTask({ prompt: `${a.slice(0, 300)}` })\nTask({ prompt: `${JSON.parse(Read('b.json')).step}` })"
        assert seen(tkn_003_content_for_path, fenced(code)) == []

    def test_a_prompt_built_in_a_variable_is_seen(self):
        code = 'plan = Read("plan.md")\nreview_prompt = f"""Check it.\n{plan}\n"""\nTask(review_prompt)'
        assert [e.line for e in seen(tkn_003_content_for_path, fenced(code, "python"))] == [13]


class TestGrowingArray:
    @pytest.mark.parametrize("name", ["completed_steps", "files", "open_issues", "history"])
    def test_lists_of_the_work_itself_and_histories_are_other_matters(self, name):
        assert seen(tkn_004_growing_array, fenced(f"while (on) {{\n  state.{name}.push(x)\n}}")) == []

    def test_a_list_that_is_not_in_the_state_is_left_alone(self):
        assert seen(tkn_004_growing_array, fenced("while (on) {\n  out.samples.push(Bash('date'))\n}")) == []


class TestWriteThenRead:
    def test_another_path_or_another_phase_is_left_alone(self):
        other = "Write('a.json', x)\nconst y = Read('b.json')"
        later = "Write('a.json', x)\n// Phase 2\nconst y = Read('a.json')"
        assert seen(tkn_005_write_then_read, fenced(other)) == []
        assert seen(tkn_005_write_then_read, fenced(later)) == []


class TestCopiedFromReference:
    def test_a_copy_is_cut_back_to_whole_blocks(self):
        mine, theirs = f"# Port\n\nMine.\n\n{BLOCK}\nTail one.\n", f"# Gates\n\n{BLOCK}\nTail two.\n"
        skill = example_case({"SKILL.md": mine, "references/gates.md": theirs}).skill
        (copy,) = copies(skill.main, skill.by_path["references/gates.md"], 600)
        assert skill.main.doc.lines[copy.start - 1].startswith("- Gate 0")
        assert skill.main.doc.lines[copy.end - 1].startswith("- Gate 9")
        assert copy.at == 3

    def test_a_piece_of_a_code_block_is_no_whole_block(self):
        code = "".join(
            f"const gate{n} = port.open('gate', {n}, {{ seal: true, weight: 'in kilograms' }})\n" for n in range(10)
        )
        files = {
            "SKILL.md": f"# A\n\n```js\nsetUp()\n{code}```\n",
            "references/b.md": f"# B\n\n```js\n{code}done()\n```\n",
        }
        assert seen(tkn_006_copied_from_reference, files) == []

    def test_the_same_paragraph_in_two_references_is_not_told_here(self):
        files = {"SKILL.md": "# A\n", "references/b.md": f"# B\n\n{BLOCK}", "references/c.md": f"# C\n\n{BLOCK}"}
        assert seen(tkn_006_copied_from_reference, files) == []


class TestOnlyOneBranch:
    LONG = "Compare the entry with the register and note its owner, its value and its date. " * 45

    def test_it_is_low_and_spans_the_group(self):
        text = "# Work\n\n" + "".join(f"## Phase {n}: go\n\n{self.LONG}\n\n" for n in range(1, 7))
        (found,) = seen(tkn_007_only_one_branch, text)
        assert tkn_007_only_one_branch.PATTERN.severity is Severity.LOW
        lines = example_case(text).skill.main.doc.lines
        assert lines[found.line - 1] == "## Phase 5: go"
        assert found.line_end == len(lines)

    def test_a_last_phase_that_reads_its_details_from_a_file_is_left_alone(self):
        text = "# Work\n\n" + "".join(f"## Phase {n}: go\n\n{self.LONG}\n\n" for n in range(1, 7))
        files = {"SKILL.md": f"{text}Then read `references/end.md`.\n", "references/end.md": "# End\n\nEnd.\n"}
        assert [e.line_end for e in seen(tkn_007_only_one_branch, files)] != [len(text.split("\n"))]

    def test_a_short_skill_is_left_alone(self):
        assert seen(tkn_007_only_one_branch, f"# Work\n\n## If it is new\n\n{self.LONG}\n") == []
