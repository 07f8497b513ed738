"""Test that file mentions in a run attach no file of the user. The real Claude Code."""

import asyncio

from orchestrator.model.agent import SessionRequest, find_claude_code, run_session
from orchestrator.tuning.trial.sandbox import choose_folder, create_sandbox
from orchestrator.tuning.trial.tasks import Check, Task
from orchestrator.tuning.trial.versions import Version
from tests.orchestrator.tuning.trial.conftest import GOOD, HEAD
from tests.scripted_api import said, text, tool


def test_no_mention_attaches_a_file(tmp_path, api):
    """One in a slash command, one in a skill, and one in the arguments with which the model calls the skill."""
    outside = tmp_path / "outside"
    outside.write_text("TOPSECRET")

    def script(request):
        is_used = "Base directory for this skill" in said(request)
        return text("Hello, please.") if is_used else tool("Skill", skill="greeter", args=f"@{outside}")

    async def start(prompt, body):
        task = Task("one", prompt, (Check("text", "please", {}),), "tasks.yaml:1")
        version = Version("today", (("SKILL.md", (HEAD + body).encode(), False),))
        sandbox = create_sandbox(choose_folder(), task, version, "greeter")
        try:
            claude = sandbox.write_launcher(find_claude_code(), task)
            return await run_session(SessionRequest(prompt, sandbox.project, claude, task.tools, (), "", 1.0, 1000, 60.0,
                                                    5, verbatim=not task.calls("greeter")))  # fmt: skip
        finally:
            sandbox.remove()

    async def start_both():
        return await asyncio.gather(start(f"/greeter @{outside}", GOOD), start("Greet.", f"{GOOD}See @{outside}\n"))

    api.script = script
    assert [session.answer for session in asyncio.run(start_both())] == ["Hello, please."] * 2
    sent = "\n".join(str(request.body) for request in api.requests)
    assert f"@{outside}" in sent
    assert "TOPSECRET" not in sent
