"""Create unusual repositories: odd layouts, links, pipes and git settings."""

import json
import os
import subprocess
from dataclasses import dataclass, field

SKILL = (
    "---\nname: {0}\ndescription: Counts birds. Use when {0} is asked for.\n---\n\n# Count\n\nCount each bird once.\n"
)
AGENT = "---\nname: {0}\ndescription: Watches.\n---\n\nWatch the shore.\n"
COMMAND = "---\ndescription: Tallies.\n---\n\nTally the birds.\n"
HOOK = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "%s"}]}]}}'
MISSING = "${CLAUDE_PLUGIN_ROOT}/check.sh"
DEEP = 20_000


@dataclass(frozen=True)
class Link:
    """A symbolic link to a target."""

    target: str


PIPE, FOLDER = object(), object()


@dataclass(frozen=True)
class OddRepository:
    """A repository: its files, the units that `diagnose` must find, and the pattern ids of their findings by path."""

    files: dict
    units: list
    patterns: dict = field(default_factory=dict)
    git: bool = True


def write_files(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content.target)
        elif content is PIPE:
            os.mkfifo(path)
        elif content is FOLDER:
            path.mkdir()
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))


def run_git(folder, *arguments):
    settings = ("user.name=a", "user.email=a@b.c", "init.defaultBranch=main", "protocol.file.allow=always")
    options = [word for setting in settings for word in ("-c", setting)]
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *options, *arguments], cwd=folder, check=True, capture_output=True, env=env)


PLUGIN = {
    ".claude-plugin/plugin.json": {"name": "birds", "version": "1.0.0"},
    "skills/count/SKILL.md": SKILL.format("count"),
}
UNITS = [".claude-plugin/plugin.json", "skills/count"]
MARKET = ".claude-plugin/marketplace.json"
