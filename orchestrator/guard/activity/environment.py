"""Describe the environment of this process: machine, project, agent, session, paths."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from orchestrator.fs import git_files as git
from orchestrator.guard.log.events import reconstruct_state_at
from orchestrator.guard.sessions.breadcrumbs import get_git_hash
from orchestrator.guard.sessions.config import ProjectConfig
from orchestrator.guard.sessions.cycles import detect_auto_mode, load_agent_state
from orchestrator.guard.sessions.paths import events_log_path, get_hooks_dir

VARIABLES = (
    "CLAUDE_PROJECT_DIR", "CLAUDE_CONFIG_DIR", "MACF_AGENT_ROOT", "MACF_AGENT_ID", "MACF_AUTO_MODE",
    "MACF_EVENTS_LOG_PATH", "TMPDIR", "TUNE_SKILL_JUDGE", "TUNE_SKILL_STRICT",
)  # fmt: skip
"""The variables that affect paths or the behaviour of hooks."""


def describe_environment(root: Path | None = None) -> dict[str, Any]:
    """Describe the environment of the project at `root` as JSON values. The default is the current project."""
    config = ProjectConfig(root)
    state = load_agent_state(config.root)
    auto, source, confidence = detect_auto_mode(root=config.root)
    hooks = get_hooks_dir(state["last_session_id"], config.agent_id, create=False)
    return {
        "python": sys.version.split()[0],
        "platform": sys.platform,
        "project": str(config.root),
        "git": {"branch": git.read_branch(config.root), "commit": get_git_hash(config.root)},
        "agent": {"id": config.agent_id, "root": str(config.agent_root), "environment": config.environment},
        "config": {"path": str(config.path), "problem": config.problem},
        "auto_mode": {"enabled": auto, "source": source, "confidence": confidence},
        "cycle": reconstruct_state_at(time.time())["cycle"],
        "session_id": state["last_session_id"],
        "events_log": str(events_log_path()),
        "hooks_log": str(hooks) if hooks else None,
        "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ},
    }
