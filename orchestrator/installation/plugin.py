"""Build the files of the Claude Code plugin: skill, agent, MCP server, hooks and manifests."""

from typing import Any

from orchestrator.fs import durable
from orchestrator.guard.hooks.dispatch import HANDLERS
from orchestrator.installation.command import NAME
from orchestrator.installation.server import build_server_entry
from orchestrator.installation.settings import TIMEOUT, format_command
from orchestrator.installation.skill import JUDGE, PLUGIN_PREFIX, render_judge, render_skill
from templates import render


def build_hook_command(event: str) -> str:
    """Build the command line of a hook in the plugin, which does nothing if tune-skill is not installed."""
    return f"! command -v {NAME} >/dev/null || exec {format_command([NAME, 'hook', event], event)}"


def build_plugin_files(project: dict[str, Any]) -> dict[str, bytes]:
    """Build the plugin's files, by path. `project` is the table `project` of pyproject.toml."""
    version, common = project["version"], {"name": NAME, "description": project["description"]}
    owner = {"name": f"{NAME} contributors"}
    manifest = {
        **common,
        "version": version,
        "author": owner,
        "license": project["license"],
        "keywords": project["keywords"],
    }
    market = {**common, "owner": owner, "plugins": [{**common, "source": "./", "version": version, "author": owner}]}
    hook = {"type": "command", "timeout": TIMEOUT}
    hooks = {event: [{"hooks": [{**hook, "command": build_hook_command(event)}]}] for event in HANDLERS}
    return {
        ".claude-plugin/plugin.json": durable.encode_indented(manifest),
        ".claude-plugin/marketplace.json": durable.encode_indented(market),
        ".mcp.json": durable.encode_indented({"mcpServers": {NAME: build_server_entry([NAME])}}),
        f"agents/{JUDGE}.md": render_judge(version, PLUGIN_PREFIX),
        "README.md": render("claude/plugin.md", version=version).encode(),
        "hooks/hooks.json": durable.encode_indented(
            {"description": "Records sessions; see tune-skill hooks --help.", "hooks": hooks}
        ),
        "skills/tune-skill/SKILL.md": render_skill([NAME], version, PLUGIN_PREFIX),
    }
