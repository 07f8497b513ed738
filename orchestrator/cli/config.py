"""`tune-skill config`: show and change the configuration of a project for hooks and sessions."""

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import schemas
from orchestrator.cli.groups import HelpfulGroup
from orchestrator.cli.input import model_consent
from orchestrator.cli.input.options import json_option
from orchestrator.cli.output.emit import emit
from orchestrator.cli.output.text import safe
from orchestrator.errors import BadInput, Refused, TuneSkillError
from orchestrator.exits import Exit
from orchestrator.fs import durable
from orchestrator.guard.sessions import consent
from orchestrator.guard.sessions.config import DEFAULTS, ProjectConfig

if TYPE_CHECKING:
    from orchestrator.installation.changes import Change


@click.group(cls=HelpfulGroup)
def config() -> None:
    """Show the project's .maceff/config.json, create it, or change a setting.

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
    """Create a configuration with the defaults."""
    path = ProjectConfig().path
    if path.exists() and not force:
        raise Refused(f"{path} already exists; show it with `tune-skill config show`, or overwrite it with --force")
    with _lock(path):
        return _write_settings(ProjectConfig(), DEFAULTS, {}, as_json)


@config.command()
@json_option
def show(as_json: bool) -> Exit:
    """Show the active settings; if the file is invalid, say why it is not used and exit with 1."""
    project = ProjectConfig()
    settings = {**{key: project.get(key) for key in DEFAULTS}, **project.values}
    settings["agent"] = {key: project.get("agent", key) for key in DEFAULTS["agent"]}
    settings["hooks"] = {key: project.get("hooks", key) for key in DEFAULTS["hooks"]}
    judge = model_consent.read_setting(project.root)
    value: dict[str, Any] = {"path": str(project.path), "problem": project.problem, "settings": settings}
    value |= {"judge": judge, "unheeded": list(project.settings_without_consent)}

    def lines() -> Iterator[str]:
        yield safe(f"{project.path}{'' if project.path.exists() else ' (no such file; these are the defaults)'}")
        yield from (
            f"{key:<22} {safe(_format_setting(value))}" for key, value in _flatten({"auto_mode": None, **settings})
        )
        yield f"{model_consent.KEY:<22} {safe(judge)}  (your own setting for this project)"
        if project.problem:
            yield f"the file is not used: {safe(project.problem)}"
        yield from describe_inactive(project)

    emit(value, lines, as_json)
    return Exit.GATE if project.problem else Exit.OK


def _flatten(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each setting with its dotted name, as `config set` expects it."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _format_setting(value: Any) -> str:
    return value or "-" if isinstance(value, str | None) else durable.encode_value(value).decode()


def describe_inactive(project: ProjectConfig) -> Iterator[str]:
    """Yield a line for each setting of the project's file that needs this user's consent and does not have it."""
    for key in project.settings_without_consent:
        value = safe(json.dumps(project.values["hooks"][key.removeprefix("hooks.")]).strip('"'))
        yield f"{key} in the file has no effect until you switch it on: `tune-skill config set {key} {value}`"


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
    project = ProjectConfig()
    if key == model_consent.KEY:
        return _set_judge(project, value, as_json)
    if problem := project.explain_problem():
        raise Refused(f"{problem}; nothing was changed")
    if key not in (keys := list(_list_keys(schemas.load("project_spec")))):
        raise BadInput(f"unknown setting {key}; the settings are {', '.join((*keys, model_consent.KEY))}")
    chosen = {key: _parse_value(value)} if key.startswith("hooks.") else {}
    _plan_hook_update(project, _build_settings(project, key, value), chosen)  # refuses before a folder is created
    with _lock(project.path):
        settings = _build_settings(ProjectConfig(), key, value)  # another command may have changed the file
        return _write_settings(project, settings, chosen, as_json)


def _build_settings(project: ProjectConfig, key: str, value: str) -> dict[str, Any]:
    """Return the settings with `key` set to `value`. Raises BadInput if the result is invalid."""
    settings = _set_key(project.values or DEFAULTS, key.split("."), _parse_value(value))
    try:
        schemas.check("project_spec", settings)
    except schemas.Invalid as error:
        raise BadInput(f"{key}: {error.problem}; `tune-skill config show` lists the settings") from error
    return settings


def _set_judge(project: ProjectConfig, value: str, as_json: bool) -> Exit:
    """Save this user's setting `judge` for this project, in the user's state folder."""
    if value not in ("ask", "auto", "none"):
        raise BadInput(
            f"judge cannot be {value}; use ask (`run` asks you), auto (always use a model) or none (never use one)"
        )
    consent.give_consent(project.root, {model_consent.KEY: value})
    path = str(consent.get_consent_file(project.root))
    return emit({"path": path, "hooks": []}, lambda: [f"written: {safe(path)}"], as_json)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Create and lock the folder of the settings file, and remove the temporary files of killed commands."""
    durable.ensure_private_dir(path.parent)
    with durable.lock_folder(path.parent):
        with suppress(OSError):
            durable.remove_temp_files(path.parent, path.name)
        yield


def _plan_hook_update(project: ProjectConfig, settings: Mapping[str, Any], chosen: Mapping[str, Any]) -> "list[Change]":
    """Plan the update of the installed hooks to new settings, of which the user has just chosen `chosen`.

    Raises Refused for a link in the project, and BadInput if the choice cannot be recorded.
    """
    from orchestrator.installation.install import plan_hook_update

    if chosen:
        consent.get_consent_file(project.root)
    speaks = settings.get("hooks", {}).get("speak_at_tools", False)
    allowed = {**consent.read_consent(project.root), **chosen}.get("hooks.speak_at_tools")
    return plan_hook_update(speaks and allowed is True)


def _write_settings(
    project: ProjectConfig, settings: Mapping[str, Any], chosen: Mapping[str, Any], as_json: bool
) -> Exit:
    """Write the settings, record those that the user chose, and update the installed hooks: all or nothing."""
    from orchestrator.installation.changes import apply_changes, lock_folders
    from orchestrator.installation.targets import list_settings_files

    with lock_folders(*(file.parent.parent for file in list_settings_files().values())):
        changes = _plan_hook_update(project, settings, chosen)
        with _undo_failure(project):
            if chosen:
                consent.give_consent(project.root, chosen)
            durable.write_json(project.path, settings)
            apply_changes(changes)
    files = [str(project.path), *(str(change.path) for change in changes)]
    backups = [str(change.backup) for change in changes if change.backup]
    lines = [f"written: {safe(file)}" for file in files] + [f"backup: {safe(file)}" for file in backups]
    return emit({"path": files[0], "hooks": files[1:]}, lambda: lines, as_json)


@contextmanager
def _undo_failure(project: ProjectConfig) -> Iterator[None]:
    """Restore the settings file and the recorded choices if the block fails or is interrupted."""
    chosen_before = dict(consent.read_consent(project.root))
    before = project.path.read_bytes() if project.path.exists() else None
    try:
        yield
    except (TuneSkillError, KeyboardInterrupt):
        with suppress(TuneSkillError):  # if they cannot be written either, they were not changed
            if consent.read_consent(project.root) != chosen_before:
                consent.replace_consent(project.root, chosen_before)
        if before is None:
            project.path.unlink(missing_ok=True)
        elif project.path.read_bytes() != before:
            durable.write_bytes(project.path, before)
        raise


def _set_key(settings: Mapping[str, Any], keys: list[str], value: Any) -> dict[str, Any]:
    first, *rest = keys
    inner = settings.get(first)
    return {**settings, first: _set_key(inner if isinstance(inner, Mapping) else {}, rest, value) if rest else value}


def _list_keys(schema: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, part in schema["properties"].items():
        resolved = schemas.load(part["$ref"].removesuffix(".schema.json")) if "$ref" in part else part
        if "properties" in resolved:
            yield from _list_keys(resolved, f"{prefix}{name}.")
        elif "const" not in resolved:
            yield f"{prefix}{name}"


def _parse_value(text: str) -> Any:
    """Parse a JSON value. A number without a fraction becomes an integer.

    Text that is not JSON and numbers that are too large are returned unchanged.
    """
    try:
        return json.loads(text, parse_float=_parse_finite, parse_constant=_parse_finite)
    except (ValueError, RecursionError):
        return text


def _parse_finite(word: str) -> float:
    number = float(word)
    if not math.isfinite(number):
        raise ValueError
    return int(number) if number.is_integer() else number
