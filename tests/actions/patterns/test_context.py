"""The patterns of context explosion: what they see beyond their own examples, and what they leave alone."""

import pytest

from actions.example import example_case
from actions.facts.context.budget import SURVIVING_TOKENS, last_surviving_line, lost_rules
from actions.facts.context.deferral import Kind, deferrables
from actions.patterns.context import (
    ctx_001_unbounded_history,
    ctx_002_state_in_prompt,
    ctx_003_contents_in_prompt,
    ctx_004_full_return,
    ctx_005_loaded_at_once,
    ctx_006_rules_beyond_the_cut,
    ctx_007_read_everything,
)
from actions.skill.text import tokens_of
from schemas.vocabulary import Severity


def seen(pattern, example):
    return list(pattern.look(example_case(example)))


def lines_of(example):
    return example_case(example).skill.main.doc.lines


def fenced(code, lang="javascript"):
    return f"# Work\n\nThe state lives in `state.json`.\n\n```{lang}\n{code}\n```\n"


class TestHistory:
    @pytest.mark.parametrize(
        "code",
        [
            "while (true) {\n  ctx.chatHistory = ctx.chatHistory.concat(answer)\n}",
            "do {\n  run.action_log.push(`${step}: ${output}`);\n} while (!ok)",
            "loop:\n  session.transcript.extend(answers)",
            "transcript += answer",
        ],
    )
    def test_growth_is_seen_in_other_shapes(self, code):
        assert [e.line for e in seen(ctx_001_unbounded_history, fenced(code))]

    @pytest.mark.parametrize(
        "code",
        [
            "while (true) {\n  state.history.push(x)\n  if (state.history.length > 20) state.history.shift()\n}",
            "for (const step of steps) {\n  history.push(step)\n}",
            "// state.history.push(x)",
            "catalog.push(entry)\nbacklog.push(entry)",
        ],
    )
    def test_what_ends_by_itself_or_is_kept_short_is_left_alone(self, code):
        assert seen(ctx_001_unbounded_history, fenced(code)) == []

    def test_a_loop_with_a_limit_makes_it_milder(self):
        found = seen(ctx_001_unbounded_history, fenced("while (n < MAX_ROUNDS) {\n  state.history.push(x)\n}"))
        assert [e.severity for e in found] == [Severity.LOW]

    def test_a_loop_over_what_is_there_is_milder_where_the_state_keeps_it(self):
        found = seen(ctx_001_unbounded_history, fenced("for (const step of steps) {\n  state.history.push(step)\n}"))
        assert [e.severity for e in found] == [Severity.LOW]

    def test_a_program_for_the_users_project_is_left_alone(self):
        code = "import anthropic\n\nmessages = []\nwhile True:\n    chat.messages.append(ask())"
        assert seen(ctx_001_unbounded_history, fenced(code, "python")) == []

    def test_a_bound_in_another_file_counts(self):
        files = {
            "SKILL.md": fenced("while (1) {\n  state.history.push(x)\n}"),
            "specs/state.md": "`history`: the last 5 entries.\n",
        }
        assert seen(ctx_001_unbounded_history, files) == []

    def test_an_example_of_what_not_to_do_is_left_alone(self):
        text = (
            "# Work\n\nUse `state.json`.\n\n## Anti-patterns\n\n```js\nwhile (1) {\n  state.history.push(x)\n}\n```\n"
        )
        assert seen(ctx_001_unbounded_history, text) == []


class TestStateInPrompt:
    def test_each_place_is_named_once_with_its_line(self):
        code = "Agent({ prompt: `Go on.\n${JSON.stringify(workflowState)}\nStep ${workflowState.step}` })"
        found = seen(ctx_002_state_in_prompt, fenced(code))
        assert [(e.line, "workflowState" in e.message) for e in found] == [(12, True)]

    def test_writing_the_state_to_its_file_is_no_prompt(self):
        assert seen(ctx_002_state_in_prompt, fenced("Write(stateFile, JSON.stringify(state, null, 2))")) == []


class TestContentsInPrompt:
    def test_two_variables_in_one_call_are_seen_as_one_finding(self):
        code = "const a = Read('a.md')\nconst b = await Read('b.md');\nTask({ prompt: `${a}\n\n${b}` })"
        found = seen(ctx_003_contents_in_prompt, fenced(code))
        assert [(e.line, e.line_end) for e in found] == [(13, 15)]

    def test_one_file_alone_is_another_patterns_matter(self):
        assert seen(ctx_003_contents_in_prompt, fenced("const a = Read('a.md')\nTask({ prompt: `${a}` })")) == []

    @pytest.mark.parametrize(
        "text",
        [
            "Read each persona file and pass it verbatim as the sub-agent's prompt.",
            "Include the full text of all error messages in the prompt.",
            "Never paste the full contents of all files into the prompt.",
        ],
    )
    def test_prompts_of_agents_short_texts_and_bans_are_left_alone(self, text):
        assert seen(ctx_003_contents_in_prompt, f"# Work\n\n{text}\n") == []


class TestFullReturn:
    @pytest.mark.parametrize(
        "text",
        [
            "The explorer agent reports back the entire documentation that it found.",
            "Each worker must reply with the complete source code of its module.",
        ],
    )
    def test_prose_about_an_agent_is_seen(self, text):
        assert len(seen(ctx_004_full_return, f"# Work\n\n{text}\n")) == 1

    @pytest.mark.parametrize(
        "text",
        [
            "The function returns the full file.",
            "The agent returns the full path of its report.",
            "An agent must not return the full report.",
        ],
    )
    def test_functions_paths_and_bans_are_left_alone(self, text):
        assert seen(ctx_004_full_return, f"# Work\n\n{text}\n") == []


class TestLoadedAtOnce:
    TEXT = "Compare the entry with the register and note its owner, its value and its date. " * 12

    def test_the_heaviest_waiting_section_is_named(self):
        text = "# Work\n\n" + "".join(f"## Step {n}: go\n\n{self.TEXT * n}\n\n" for n in range(1, 7))
        (found,) = seen(ctx_005_loaded_at_once, text)
        assert lines_of(text)[found.line - 1] == "## Step 6: go"

    def test_rules_wait_for_nothing(self):
        text = f"# Work\n\n## If the ledger is new\n\n{self.TEXT * 2}\n\n" + f"## Rules\n\n{self.TEXT * 9}\n"
        assert seen(ctx_005_loaded_at_once, text) == []

    def test_branches_are_found_by_the_argument_hint(self):
        head = '---\nname: example\ndescription: Keeps notes. Use for notes.\nargument-hint: "[save [topic] | load [name]]"\n---\n\n'
        text = head + f"# Notes\n\n## Save\n\n{self.TEXT}\n\n## Load\n\n{self.TEXT}\n"
        assert [(d.section.title, d.kind) for d in deferrables(example_case(text).skill)] == [
            ("Save", Kind.BRANCH),
            ("Load", Kind.BRANCH),
        ]

    def test_a_section_that_several_places_link_to_does_not_wait(self):
        text = f"# Work\n\n[a](#value-tables) and [b](#value-tables)\n\n## More\n\n### Value tables\n\n{self.TEXT}\n"
        assert deferrables(example_case(text).skill) == ()


class TestCut:
    def filled(self, characters, tail):
        line = "The column holds the amount in cents, as the bank booked it.\n\n"
        return "# Export\n\n" + line * (characters // len(line)) + tail

    def test_what_survives_fits_the_budget_and_the_next_line_does_not(self):
        skill = example_case(self.filled(30_000, "End.\n")).skill
        last = last_surviving_line(skill)
        kept = "\n".join(skill.main.doc.lines[skill.frontmatter.end : last])
        more = "\n".join(skill.main.doc.lines[skill.frontmatter.end : last + 2])
        assert tokens_of(len(kept)) <= SURVIVING_TOKENS - 25 + 1
        assert tokens_of(len(more)) > SURVIVING_TOKENS - 25

    def test_a_short_skill_loses_nothing(self):
        assert lost_rules(example_case(self.filled(10_000, "Never send it.\n")).skill) == []

    def test_one_finding_names_every_lost_rule(self):
        text = self.filled(21_000, "Never send it outside.\n\nPay before noon. You must ask the owner first.\n")
        (found,) = seen(ctx_006_rules_beyond_the_cut, text)
        assert lines_of(text)[found.line - 1] == "Never send it outside."
        assert [place.split(": ", 1)[1] for place in found.also] == ["You must ask the owner first."]

    @pytest.mark.parametrize(
        "tail",
        [
            "The list is critical for the audit, and drafts usually do not need it.\n",
            "| Never | send |\n",
            "Reports that must exist are listed. See what must exist.\n",
            "## Anti-patterns\n\nNever send it.\n",
        ],
    )
    def test_descriptions_tables_and_counterexamples_are_no_rules(self, tail):
        assert seen(ctx_006_rules_beyond_the_cut, self.filled(21_000, tail)) == []


class TestReadEverything:
    def test_a_bound_or_a_choice_in_the_sentence_is_enough(self):
        for text in (
            "Read every file in the repository that the ticket names.",
            "Read the whole project only if it is small.",
        ):
            assert seen(ctx_007_read_everything, f"# Work\n\n{text}\n") == []

    def test_a_shell_command_over_all_files_is_seen(self):
        assert len(seen(ctx_007_read_everything, fenced("find . -type f | xargs cat", "bash"))) == 1


def test_a_prohibition_is_not_said_by_what_commands_the_same():
    fill = "".join(
        f"The column `field_{n}` holds the amount of week {n}, in cents, as booked then.\n\n" for n in range(300)
    )
    text = "# Export\n\n{}\n\n" + fill + "Never send the weekly table to an outside address.\n"
    assert lost_rules(example_case(text.format("Send the weekly table to an outside address.")).skill)
    assert not lost_rules(example_case(text.format("Do not send weekly tables to outside addresses.")).skill)
