"""`tune-skill config`: the configuration of a project for hooks and sessions."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

import schemas
from orchestrator.cli import permission
from orchestrator.cli.install import speaks
from orchestrator.cli.output.emit import Helpful, emit, json_option
from orchestrator.cli.output.text import safe
from orchestrator.errors import BadInput, Refused
from orchestrator.exits import Exit
from orchestrator.fs import durable
from orchestrator.guard.sessions import consent
from orchestrator.guard.sessions.config import DEFAULTS, ConsciousnessConfig


@click.group(cls=Helpful)
def config() -> None:
    """Show the project's .maceff/config.json, create one, or change a setting.

    \b
    Examples:
      tune-skill config init
      tune-skill config show --json
      tune-skill config set hooks.power_steering true
    """


@config.command()
@click.option("--force", is_flag=True, help="Overwrite an existing file with the defaults.")
@json_option
def init(force: bool, as_json: bool) -> Exit:
    """Write a configuration with the defaults."""
    path = ConsciousnessConfig().path
    if path.exists() and not force:
        raise Refused(
            f"{path} is there already; `tune-skill config show` shows it, --force writes the defaults over it"
        )
    return _written(path, DEFAULTS, as_json)


@config.command()
@json_option
def show(as_json: bool) -> Exit:
    """Show each setting that is in force, and what is wrong with the file; exit code 1 when the file is not used."""
    found = ConsciousnessConfig()
    settings = {**{key: found.get(key) for key in DEFAULTS}, **found.values}
    settings["agent"] = {key: found.get("agent", key) for key in DEFAULTS["agent"]}
    settings["hooks"] = {key: found.get("hooks", key) for key in DEFAULTS["hooks"]}
    own = permission.said(found.root)
    about: dict[str, Any] = {"path": str(found.path), "problem": found.problem, "settings": settings, "judge": own}
    about["unheeded"] = list(found.unconfirmed)

    def lines() -> Iterator[str]:
        yield safe(f"{found.path}{'' if found.path.exists() else ' (not there: these are the defaults)'}")
        yield from (f"{key:<22} {safe(_shown(value))}" for key, value in _flat({"auto_mode": None, **settings}))
        yield f"{permission.KEY:<22} {safe(own)}  (your own, for this project)"
        if found.problem:
            yield f"the file is not used: {safe(found.problem)}"
        yield from unheeded_lines(found)

    emit(about, lines, as_json)
    return Exit.GATE if found.problem else Exit.OK


def _flat(settings: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each setting by the dotted name that `config set` takes."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _shown(value: Any) -> str:
    return value or "-" if isinstance(value, str | None) else durable.encode_value(value).decode()


def unheeded_lines(found: ConsciousnessConfig) -> Iterator[str]:
    """Give a line for each setting that the project's file switches on and this user did not."""
    for key in found.unconfirmed:
        said = safe(json.dumps(found.values["hooks"][key.removeprefix("hooks.")]).strip('"'))
        yield f"{key} in the file has no effect here; `tune-skill config set {key} {said}` switches it on"


@config.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("key", metavar="KEY")
@click.argument("value", metavar="VALUE")
@json_option
def set_(key: str, value: str, as_json: bool) -> Exit:
    """Change a setting; VALUE is JSON (true, 100000) or plain text.

    \b
    Example:
      tune-skill config set hooks.power_steering true
    """
    found = ConsciousnessConfig()
    if key == permission.KEY:
        return _judge(found, value, as_json)
    if found.problem:
        raise Refused(f"{found.path}: {found.problem}; fix it first, nothing was changed")
    if key not in (known := list(_keys(schemas.load("project_spec")))):
        raise BadInput(f"{key} is not a setting; the settings are {', '.join((*known, permission.KEY))}")
    settings = _changed(found.values or DEFAULTS, key.split("."), _value(value))
    try:
        schemas.check("project_spec", settings)
    except schemas.Invalid as error:
        raise BadInput(f"{key}: {error.problem}; `tune-skill config show` lists the settings") from error
    if key.startswith("hooks."):
        consent.give_consent(found.root, {key: _value(value)})
    return _written(found.path, settings, as_json)


def _judge(found: ConsciousnessConfig, value: str, as_json: bool) -> Exit:
    """Note what this user says of a judge in this project: it stands in their own state folder alone."""
    if value not in ("ask", "auto", "none"):
        raise BadInput(
            f"judge cannot be {value}; it is ask (`run` asks you), auto (it sends at once) or none (it sends nothing)"
        )
    consent.give_consent(found.root, {permission.KEY: value})
    path = str(consent.consent_file(found.root))
    return emit({"path": path, "hooks": []}, lambda: [f"written: {safe(path)}"], as_json)


def _written(path: Path, settings: Mapping[str, Any], as_json: bool) -> Exit:
    """Write the settings, and give the hooks that are installed here the form that they ask for."""
    from orchestrator.installation.changes import apply_changes
    from orchestrator.installation.install import plan_renewal

    durable.ensure_private_dir(path.parent)
    durable.write_json(path, settings)
    changes = plan_renewal(speaks())
    apply_changes(changes)
    files = [str(path), *(str(change.path) for change in changes)]
    about = {"path": str(path), "hooks": files[1:]}
    return emit(about, lambda: (f"written: {safe(file)}" for file in files), as_json)


def _changed(settings: Mapping[str, Any], keys: list[str], value: Any) -> dict[str, Any]:
    first, *rest = keys
    inner = settings.get(first)
    return {**settings, first: _changed(inner if isinstance(inner, Mapping) else {}, rest, value) if rest else value}


def _keys(schema: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Return the settings by their dotted names; a group of settings is none itself."""
    for name, part in schema["properties"].items():
        whole = schemas.load(part["$ref"].removesuffix(".schema.json")) if "$ref" in part else part
        if "properties" in whole:
            yield from _keys(whole, f"{above}{name}.")
        elif "const" not in whole:
            yield f"{above}{name}"


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
