"""Test, with the real Claude Code, that file mentions in a run attach no file of the user."""

import asyncio

from tests.orchestrator.tuning.trial.conftest import GOOD_BODY, run_session_of_greeter
from tests.scripted_api import join_user_text, text_block, tool_call


def test_mentions_of_files_attach_no_file(tmp_path, api):
    """The mentions are in a slash command, in a skill, and in the arguments with which the model calls the skill."""
    outside = tmp_path / "outside"
    outside.write_text("TOPSECRET")

    def script(request):
        is_used = "Base directory for this skill" in join_user_text(request)
        return text_block("Hello, please.") if is_used else tool_call("Skill", skill="greeter", args=f"@{outside}")

    async def start_both():
        return await asyncio.gather(
            run_session_of_greeter(f"/greeter @{outside}"),
            run_session_of_greeter("Greet.", f"{GOOD_BODY}See @{outside}\n"),
        )

    api.script = script
    assert [session.answer for session in asyncio.run(start_both())] == ["Hello, please."] * 2
    sent_text = "\n".join(str(request.body) for request in api.requests)
    assert f"@{outside}" in sent_text
    assert "TOPSECRET" not in sent_text
