"""List the optional parts (extras) of tune-skill that are installed, and how to install the others."""

import json
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from orchestrator.errors import NotInstalled

NAME = "tune-skill"
EXTRAS = {
    "model": ("claude_agent_sdk",),
    "editor": ("pygls",),
    "mcp": ("mcp",),
    "trial": ("numpy", "claude_agent_sdk"),
    "fleet": ("distributed",),
}
"""The extras in pyproject.toml, each with the modules that it installs."""


def is_installed(extra: str) -> bool:
    """Return whether an extra is installed, without importing it."""
    return all(find_spec(module) for module in EXTRAS[extra])


def require_extra(extra: str, user: str) -> None:
    """Raise NotInstalled, with the install command, if an extra that the command `user` needs is missing."""
    if not is_installed(extra):
        command = build_install_command(extra)
        raise NotInstalled(f"{user} needs the extra {extra!r}, which is not installed; run: {command}")


def build_install_command(extra: str) -> str:
    """Build the command that adds an extra to this installation and keeps the installed ones."""
    extras = sorted({extra, *filter(is_installed, EXTRAS)})
    prefix, source = Path(sys.prefix), _read_source()
    if source.get("dir_info", {}).get("editable"):
        return shlex.join(
            [sys.executable, "-m", "pip", "install", "-e", f"{_get_source_path(source)}[{','.join(extras)}]"]
        )
    requirement = f"{NAME}[{','.join(extras)}]" + (f" @ {_build_source_url(source)}" if source else "")
    if (prefix / "uv-receipt.toml").is_file():
        return shlex.join(["uv", "tool", "install", "--force", requirement])
    if (prefix / "pipx_metadata.json").is_file():
        return shlex.join(["pipx", "install", "--force", requirement])
    return shlex.join([sys.executable, "-m", "pip", "install", requirement])


def _read_source() -> dict[str, Any]:
    """Read the source of this installation (direct_url.json, PEP 610). Empty if it is a package index."""
    from importlib.metadata import PackageNotFoundError, distribution  # 8 ms, needed only for this line

    try:
        return dict(json.loads(distribution(NAME).read_text("direct_url.json") or "{}"))
    except PackageNotFoundError:  # a checkout that runs without being installed
        return {"url": Path(__file__).resolve().parents[1].as_uri(), "dir_info": {"editable": True}}


def _build_source_url(source: dict[str, Any]) -> str:
    vcs = source.get("vcs_info", {})
    return f"{vcs['vcs']}+{source['url']}@{vcs['commit_id']}" if vcs else str(source["url"])


def _get_source_path(source: dict[str, Any]) -> str:
    return str(source["url"]).removeprefix("file://")
