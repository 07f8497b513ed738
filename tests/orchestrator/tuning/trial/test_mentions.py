"""Test, with the real Claude Code, that file mentions in a run attach no file of the user."""

import asyncio

from tests.orchestrator.tuning.trial.conftest import GOOD, run_greeter
from tests.scripted_api import said, text, tool


def test_no_mention_attaches_a_file(tmp_path, api):
    """The mentions are in a slash command, in a skill, and in the arguments with which the model calls the skill."""
    outside = tmp_path / "outside"
    outside.write_text("TOPSECRET")

    def script(request):
        is_used = "Base directory for this skill" in said(request)
        return text("Hello, please.") if is_used else tool("Skill", skill="greeter", args=f"@{outside}")

    async def start_both():
        return await asyncio.gather(
            run_greeter(f"/greeter @{outside}"), run_greeter("Greet.", f"{GOOD}See @{outside}\n")
        )

    api.script = script
    assert [session.answer for session in asyncio.run(start_both())] == ["Hello, please."] * 2
    sent = "\n".join(str(request.body) for request in api.requests)
    assert f"@{outside}" in sent
    assert "TOPSECRET" not in sent
