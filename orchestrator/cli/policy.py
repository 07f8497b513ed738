"""`tune-skill policy`: show the policies for agents of this project."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click

from orchestrator.cli.groups import HelpfulGroup
from orchestrator.cli.input.options import json_option
from orchestrator.cli.output.emit import emit
from orchestrator.cli.output.text import json_text, safe
from orchestrator.exits import Exit
from orchestrator.guard.sessions.config import ProjectConfig
from orchestrator.guard.sessions.manifest import load_merged_manifest, search_policies


@click.group(cls=HelpfulGroup)
def policy() -> None:
    """Show the policies of tune-skill, and the project's own in .maceff/policies/manifest.json.

    \b
    Examples:
      tune-skill policy list
      tune-skill policy search compaction
    """


@policy.command()
@json_option
def manifest(as_json: bool) -> Exit:
    """Show all policies of this project with their rules."""
    merged = load_merged_manifest()
    return emit(merged, lambda: json_text(merged).decode().splitlines(), as_json)


@policy.command()
@click.argument("words", nargs=-1, required=True)
@json_option
def search(words: tuple[str, ...], as_json: bool) -> Exit:
    """Show the policies that contain all WORDS in name, keywords or description, best match first."""
    merged = load_merged_manifest()
    return _print_policies(merged["policies"], search_policies(merged, " ".join(words)), as_json, with_rules=True)


@policy.command("list")
@json_option
def list_(as_json: bool) -> Exit:
    """Show the names and descriptions of the policies."""
    policies = load_merged_manifest()["policies"]
    return _print_policies(policies, sorted(policies), as_json)


@policy.command("ca-types")
@json_option
def ca_types(as_json: bool) -> Exit:
    """Show the types of notes that an agent writes for later sessions, and their folders."""
    root = ProjectConfig().agent_root
    types = [
        {"type": name, "description": about["description"], "folder": str(root / about["folder"])}
        for name, about in load_merged_manifest()["ca_types"].items()
    ]
    rows = (f"{safe(ca['type']):<12} {safe(ca['folder'])}  {safe(ca['description'])}" for ca in types)
    return emit(types, lambda: rows, as_json)


def _print_policies(policies: Mapping[str, Any], names: Iterable[str], as_json: bool, with_rules: bool = False) -> Exit:
    chosen = [{"name": name, **policies[name]} for name in names]

    def lines() -> Iterator[str]:
        for policy in chosen:
            yield f"{safe(policy['name']):<14} {safe(policy['description'])}"
            if with_rules:
                yield from (f"  - {safe(rule)}" for rule in policy.get("rules", ()))

    return emit(chosen, lines, as_json, "no matching policies")
