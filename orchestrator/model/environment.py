"""Find how to reach a model (API key, login, Claude Code executable) and which provider receives the prompts."""

import json
import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from orchestrator.extras import build_install_command
from orchestrator.fs.home import find_program

KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
PROVIDERS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")
CLI, MODEL = "TUNE_SKILL_JUDGE_CLI", "TUNE_SKILL_JUDGE_MODEL"
"""The environment variables that set the executable of Claude Code and the model.

The defaults are the executable in the SDK, and the default model of Claude Code.
"""

Say = Callable[[str], None]


def find_access_problem(env: Mapping[str, str]) -> str:
    """Explain why no model can be asked, without importing the SDK. Returns "" if no problem is known."""
    why = find_start_problem(env)
    if not why and not (has_env_access(env) or _has_login(env)):
        return "found neither an API key nor a Claude login; set ANTHROPIC_API_KEY, or log in with `claude`"
    return why


def find_start_problem(env: Mapping[str, str]) -> str:
    """Explain why Claude Code cannot be started. Returns "" if no problem is known."""
    spec = find_spec("claude_agent_sdk")
    if spec is None:
        return f"the extra 'model' is not installed; run: {build_install_command('model')}"
    if not _has_cli(env, [Path(folder) for folder in spec.submodule_search_locations or ()]):
        return "Claude Code was not found; install it, so that the command `claude` is on PATH"
    return ""


_GATEWAY_VARIABLES = frozenset(
    {"ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL", "ANTHROPIC_FOUNDRY_BASE_URL"}
)


def describe_recipient(env: Mapping[str, str]) -> str:
    """Return the name of the provider or host that receives the prompts."""
    for name, provider in zip(PROVIDERS, ("Amazon Bedrock", "Google Vertex AI", "Microsoft Foundry"), strict=True):
        if env.get(name):
            urls = [_read_host(url) for key, url in env.items() if key in _GATEWAY_VARIABLES and url]
            return " through ".join((provider, *urls))
    return _read_host(url) if (url := env.get("ANTHROPIC_BASE_URL", "")) else "Anthropic"


def list_model_settings(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables that decide which model answers, where and with how much thought. No keys."""
    names = (MODEL, CLI, "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_EFFORT_LEVEL", "MAX_THINKING_TOKENS", *PROVIDERS)
    return {
        name: value
        for name, value in sorted(env.items())
        if value and name not in KEYS and (name in names or name.startswith("ANTHROPIC_"))
    }


def _read_host(url: str) -> str:
    """Return the host of a URL, with its port if that is unusual.

    Returns the whole URL if programs could parse it differently.
    """
    try:
        parts = urlsplit(url)
        is_plain = url.isascii() and url.isprintable() and "\\" not in url and "@" not in url and " " not in url
        if is_plain and parts.scheme in ("http", "https") and url.startswith(f"{parts.scheme}://") and parts.hostname:
            return f"{parts.hostname}:{parts.port}" if parts.port not in (None, 80, 443) else parts.hostname
    except ValueError:
        pass
    return f"the host of {url!r}"


def has_env_access(env: Mapping[str, str]) -> bool:
    """Return whether environment variables give access to a model, so that the login on the disk is not needed."""
    return any(env.get(name) for name in (*KEYS, *PROVIDERS))


def find_user_cli(env: Mapping[str, str]) -> str | None:
    """Return the path of the Claude Code executable that the user chose. Returns None if the user chose none.

    The user can give a path or the name of a command.
    """
    found = find_program(os.path.expanduser(env[CLI]), env) if env.get(CLI) else None  # noqa: PTH111 - may be no path
    return str(Path(found).absolute()) if found else None


def _has_cli(env: Mapping[str, str], package: list[Path]) -> bool:
    """Return whether Claude Code is installed where the SDK looks for it."""
    if env.get(CLI):
        return find_user_cli(env) is not None
    home = Path(env.get("HOME", "/"))
    known = (".npm-global/bin/claude", ".local/bin/claude", "node_modules/.bin/claude", ".yarn/bin/claude",
              ".claude/local/claude")  # fmt: skip
    found = [*(folder / "_bundled" / "claude" for folder in package), *(home / path for path in known)]
    return any(os.access(file, os.X_OK) for file in found) or find_program("claude", env) is not None


def _has_login(env: Mapping[str, str]) -> bool:
    """Return whether Claude Code has a login on this machine. On macOS only the account of a login is visible."""
    config, home = env.get("CLAUDE_CONFIG_DIR"), Path(env.get("HOME", "/"))
    folder = Path(config) if config else home / ".claude"
    try:
        if (folder / ".credentials.json").stat().st_size:
            return True
    except OSError:
        pass
    try:
        account = json.loads(((folder if config else home) / ".claude.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(account, dict) and bool(account.get("oauthAccount"))
