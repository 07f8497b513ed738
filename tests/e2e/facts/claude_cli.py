"""Ask the Claude Code of the SDK's wheel what it makes of a folder. No model and no network is used."""

import json
import subprocess
from pathlib import Path

import claude_agent_sdk

CLAUDE = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"


def validate(folder, home):
    """Return the report of `claude plugin validate --json` on a folder."""
    env = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(home),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    command = [CLAUDE, "plugin", "validate", "--json", str(folder)]
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)


def list_warnings(report):
    return [w["message"] for part in report["contents"] for w in (*part["errors"], *part["warnings"])]


def write_tree(folder, files):
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text if isinstance(text, str) else json.dumps(text))
    return folder
