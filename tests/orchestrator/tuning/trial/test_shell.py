"""Test which shell commands can start in a run, with the real Claude Code."""

import asyncio

import pytest

from orchestrator.errors import BadInput
from orchestrator.tuning.trial.consent import build_request
from orchestrator.tuning.trial.grants import find_started_command
from orchestrator.tuning.trial.tasks import Check, Task
from orchestrator.tuning.trial.versions import Version
from tests.orchestrator.tuning.trial.conftest import FRONTMATTER, GOOD_BODY, run_session_of_greeter
from tests.scripted_api import get_last_user_text, join_user_text, text_block, tool_call

SKILL_THAT_STARTS_A_COMMAND = f"{GOOD_BODY}\nToday: !`echo tide`\n"


def test_run_without_a_bash_rule_has_no_shell(api):
    """With a shell, Claude Code would allow `echo` and the `!` commands of a skill without asking."""

    def script(request):
        user_text = join_user_text(request)
        if "Greet 1" in user_text:
            return (
                text_block(get_last_user_text(request))
                if "flood" in user_text or "No such tool" in user_text
                else tool_call("Bash", command="echo flood")
            )
        is_called = "Base directory for this skill" in user_text or "permission check failed" in user_text
        return text_block(user_text) if is_called else tool_call("Skill", skill="greeter")

    async def run_all():
        return await asyncio.gather(
            run_session_of_greeter("Greet 1."), run_session_of_greeter("Greet 2.", SKILL_THAT_STARTS_A_COMMAND),
            run_session_of_greeter("Greet 3.", SKILL_THAT_STARTS_A_COMMAND, tools=("Bash(git log:*)",)), run_session_of_greeter("Greet 1.", tools=("Bash(ls:*)",)),
        )  # fmt: skip

    api.script = script
    shell, loading, *allowed_sessions = asyncio.run(run_all())
    assert "No such tool available: Bash" in shell.answer
    assert "Permission to use Bash has been denied" in loading.answer
    assert ["Today: tide" in allowed_sessions[0].answer, allowed_sessions[1].answer] == [True, "flood"]


@pytest.mark.parametrize("tools", [("Write",), ("Bash(ls:*)",), ("Bash",)])
@pytest.mark.parametrize("body", [GOOD_BODY, SKILL_THAT_STARTS_A_COMMAND, "```!\nls -la\n```\n"])
def test_skill_that_starts_commands_needs_a_bash_rule(tools, body):
    task = Task("one", "Greet.", (Check("text", "please", {}),), "tasks.yaml:1", tools=tools)
    version = Version("today", (("SKILL.md", (FRONTMATTER + body).encode(), False),))
    if body == GOOD_BODY or tools != ("Write",):
        build_request((task,), (version,))
        return
    with pytest.raises(
        BadInput, match=r"tasks.yaml:1: one allows no command, but the skill starts one .*Bash\(ls:\*\)"
    ):
        build_request((task,), (version,))


@pytest.mark.parametrize(("body", "command"), [
    ("Run !`ls -l` now.", "ls -l"), ("!`git\nlog`", "git\nlog"), ("- ```! id ```", "id"),
    ("`!`", ""), ("Wow!`ls`", ""), ("```sh\nls\n```", ""),
])  # fmt: skip
def test_commands_that_a_skill_starts_are_found(body, command):
    assert find_started_command(body.encode()) == command
