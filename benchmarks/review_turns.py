"""Count the turns, requests and tokens of a review by /tune-skill in the real Claude Code; only the model is scripted.

    python benchmarks/review_turns.py        both modes: the server asks the model; agents of the session read

Prints turns of the session, requests, and estimated input tokens without a cache (characters / 4) of one review of
examples/release-notes with a complaint, from the command to the applied fix.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.e2e.interactive import DOWN, ENTER, Interactive
from tests.e2e.machine import Machine
from tests.e2e.player import Player
from tests.scripted_api import ScriptedApi

WORDS = "it forgets the rules"
MODES = {"the server asks": (ENTER,), "agents read": (DOWN, ENTER)}
LIMITS = "at most 12 turns, 45 requests, 450,000 tokens"


def review(folder: Path, keys: tuple[str, ...]) -> tuple[Player, float]:
    """Run one review; return the player with its counts, and the seconds."""
    machine, player = Machine(folder), Player(WORDS)
    subprocess.run(["git", "init", "-q"], cwd=machine.project, check=True)
    machine.tune_skill("install")
    began = time.monotonic()
    with ScriptedApi(player) as api, Interactive(machine, api) as terminal:
        terminal.say(f'/tune-skill release-notes "{WORDS}"')
        for words, answer in (
            ("requests your input", keys),
            ("Which findings should be fixed", (ENTER,)),
            ("Which fixes should be applied", (ENTER,)),
        ):
            terminal.wait_for(words)
            terminal.read(1)
            for key in answer:
                terminal.type(key)
        terminal.wait_for(lambda: player.status.get("waits_for") == "nothing")
    return player, time.monotonic() - began


def main() -> None:
    """Print the counts of both modes."""
    print(f"{'':<16}{'turns':>6}{'requests':>10}{'input tokens':>14}{'seconds':>9}   limits: {LIMITS}")
    for name, keys in MODES.items():
        with tempfile.TemporaryDirectory() as folder:
            player, seconds = review(Path(folder), keys)
        requests, tokens = player.requests.total(), player.tokens.total()
        print(f"{name:<16}{player.requests['session']:>6}{requests:>10}{tokens:>14,}{seconds:>9.0f}")


if __name__ == "__main__":
    main()
