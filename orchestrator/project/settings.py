"""Read the `tune-skill.toml` of a unit's project, and the skill's own file.

Outside CI the skill's own file takes precedence, and a note lists its settings. In CI it is ignored.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

import schemas
from actions.patterns import get_patterns, suggest_id
from actions.patterns.pattern import PatternModule, get_check
from actions.skill.paths import MAIN
from actions.skill.settings import SETTINGS_FILE, Exemption, Settings, is_selected
from orchestrator.errors import BadInput, one_line, reason
from orchestrator.fs import nofollow
from orchestrator.fs.project_root import (
    REPOSITORY,
    find_marked_folder,
    get_working_directory,
    may_be_changed_by_others,
)
from schemas.vocabulary import FOCUS, Severity
from templates.filters import did_you_mean

_PROJECT_KEYS = ("exclude", "fail-on")
"""Settings that are valid only for a project."""
_MAX_BYTES, _MAX_LINE = 100_000, 2_000
"""Maximum size in bytes of a settings file, and of a line. To parse a dotted key takes quadratic time."""


class InvalidSettings(BadInput):
    """The settings file `file` cannot be used."""

    def __init__(self, file: Path, message: str) -> None:
        super().__init__(message)
        self.file = file


class ProjectSettings(msgspec.Struct, frozen=True):
    """The settings file of a project: its folder, and its values."""

    folder: Path
    values: Mapping[str, Any]

    @property
    def path(self) -> Path:
        """The file itself."""
        return self.folder / SETTINGS_FILE


class _SettingsFile(msgspec.Struct, frozen=True):
    """A valid settings file. source: its name in messages. below: the unit's path relative to the file's folder.

    above: if the file is inside the folder that the unit's paths are relative to, its folder relative to that one.
    """

    source: str
    values: Mapping[str, Any]
    below: str = ""
    above: str = ""


def get_current_project() -> Path:
    """Return the project in which the command runs: the nearest repository, or the current folder if there is none."""
    cwd = get_working_directory()
    return Path(find_marked_folder(cwd, REPOSITORY) or cwd)


class _Folder(msgspec.Struct, frozen=True):
    """The properties of a folder that the search for settings needs."""

    info: os.stat_result
    is_repository: bool
    has_settings: bool


class SettingsFinder:
    """Finds the settings files of the units of one scan. Each folder is inspected once, because units share folders."""

    def __init__(self) -> None:
        self._inspect = cache(_inspect_folder)
        self._resolve: Callable[[str], str] = cache(os.path.realpath)

    def resolve(self, path: Path) -> Path:
        """Resolve the links in a path. The result is cached, because this takes a system call per parent folder."""
        return Path(self._resolve(str(path)))

    def list_all(self, unit: Path) -> Iterator[ProjectSettings]:
        """Yield the project settings that apply to a unit, nearest first. Raises InvalidSettings.

        unit: the folder of a skill, or the file of another unit. The search goes from `unit` up to the root of its
        repository. Outside a repository, the search ends below the home folder, and below folders in which others can
        write, such as /tmp. A file next to a SKILL.md belongs to the skill, so it is skipped unless the skill is the
        whole repository.
        """
        home, start = os.environ.get("HOME", ""), None
        for name in self._list_folders(unit):
            folder = self._inspect(name)
            start = start or folder.info
            if name == home or may_be_changed_by_others(folder.info, start):
                return
            if folder.has_settings:
                yield ProjectSettings(Path(name), _read(Path(name, SETTINGS_FILE)))
            if folder.is_repository:
                return

    def find(self, unit: Path) -> ProjectSettings | None:
        """Return the nearest settings file that applies to a unit, or None. Raises InvalidSettings."""
        return next(self.list_all(unit), None)

    def _list_folders(self, unit: Path) -> Iterator[str]:
        """Yield the real folder of a unit and its parents. If the unit is a link, start at the link itself."""
        path = unit if unit.name not in ("", "..") else unit.resolve()
        folder = os.path.join(self._resolve(str(path.parent)), path.name)  # noqa: PTH118
        while not os.path.isdir(folder):  # noqa: PTH112
            folder = os.path.dirname(folder)  # noqa: PTH120
        while folder != "/":
            yield folder
            folder = os.path.dirname(folder)  # noqa: PTH120


def _inspect_folder(folder: str) -> _Folder:
    is_repository = os.path.exists(f"{folder}/{REPOSITORY[0]}")  # noqa: PTH110
    is_settings = os.path.isfile(f"{folder}/{SETTINGS_FILE}")  # noqa: PTH113
    has_settings = is_settings and (is_repository or not os.path.isfile(f"{folder}/{MAIN}"))  # noqa: PTH113
    return _Folder(os.stat(folder), is_repository, has_settings)  # noqa: PTH116


def read_project_settings(unit: Path) -> ProjectSettings | None:
    """Return the nearest settings file that applies to a unit, or None. Raises BadInput."""
    return SettingsFinder().find(unit)


def find_settings_start(unit: Path) -> Path:
    """Return the folder where the search for a unit's settings starts. It is the same for all units in a folder."""
    return unit if os.path.lexists(unit / REPOSITORY[0]) else unit.parent


def read_unit_settings(root: Path, file: Path, finder: SettingsFinder) -> Settings:
    """Return the project settings for a unit other than a skill.

    root: the folder that the unit's paths are relative to.
    """
    project = finder.find(file)
    if project is None:
        return Settings()
    below = _find_path(project.folder, root)
    if not below.startswith(".."):
        return _join_files([_SettingsFile(SETTINGS_FILE, project.values, below)])
    return _join_files([_SettingsFile(SETTINGS_FILE, project.values, above=_find_path(root, project.folder))])


def read_settings(root: Path, finder: SettingsFinder | None = None) -> Settings:
    """Return the settings of the skill at `root`, merged with those of its project. Raises BadInput.

    In CI, a skill must not choose what is reported about it, so its settings file is used only if it is also the
    settings file of the project.
    """
    finder = finder or SettingsFinder()
    project, root, tables = finder.find(root), finder.resolve(root), []
    is_projects = project is not None and project.folder.resolve() == root
    if project and not is_projects:
        tables.append(_SettingsFile(SETTINGS_FILE, project.values, _find_path(project.folder, root)))
    own = _read_own(root)
    if own is None:
        return _join_files(tables)
    unused = [key for key in _PROJECT_KEYS if key in own.values and not is_projects]
    if len(unused) == len(own.values):
        return replace(_join_files(tables), notes=(_explain_unused(own, unused),))
    if _is_ci() and not is_projects:
        advice = f"use the project's {SETTINGS_FILE}"
        note = f"{own.source} is ignored in CI, as a skill must not choose what is reported; {advice}"
    else:
        tables.append(own)
        note = f"{own.source} (the skill's own settings) changes what is reported: {_format_values(own.values)}"
    return replace(_join_files(tables), notes=(one_line(note), *([_explain_unused(own, unused)] if unused else [])))


def _find_path(folder: Path, unit: Path) -> str:
    return Path(os.path.relpath(os.path.realpath(unit), os.path.realpath(folder))).as_posix()


def _explain_unused(own: _SettingsFile, keys: Sequence[str]) -> str:
    verb = "have" if keys[1:] else "has"
    return one_line(
        f"{own.source}: {' and '.join(keys)} {verb} no effect in a skill; use the project's {SETTINGS_FILE}"
    )


def _join_files(tables: Sequence[_SettingsFile]) -> Settings:
    """Merge settings files. A later file takes precedence, except that severities and exemptions are merged."""
    joined: dict[str, Any] = {}
    severity: dict[str, Severity] = {}
    exemptions: list[Exemption] = []
    for table in tables:
        joined |= table.values
        severity |= {id.upper(): Severity(level) for id, level in table.values.get("severity", {}).items()}
        ignores = table.values.get("per-file-ignores", {})
        place = (table.below, table.above)
        exemptions += (Exemption(table.source, glob, tuple(codes), *place) for glob, codes in ignores.items())
    last = next((table for table in reversed(tables) if "ignore" in table.values), None)
    if last:
        exemptions.append(Exemption(last.source, "", tuple(joined["ignore"]), last.below, last.above))
    return Settings(tuple(joined.get("select", ())), (), tuple(exemptions), severity)


def _read_own(root: Path) -> _SettingsFile | None:
    """Return the skill's own settings, or None if it has none or they are empty."""
    own = root / SETTINGS_FILE
    values = _read(own) if own.is_file() and own.resolve().is_relative_to(root) else {}
    return _SettingsFile(f"{root.name}/{SETTINGS_FILE}", values) if values else None


def _is_ci() -> bool:
    """Return whether the command runs in a build service, which sets CI."""
    return os.environ.get("CI", "").strip().lower() not in ("", "0", "false", "no")


def _format_values(values: Mapping[str, Any]) -> str:
    """Format settings as one line: first the lists, then the tables. Settings of projects are left out."""
    lists = {key: value for key, value in values.items() if isinstance(value, list) and key not in _PROJECT_KEYS}
    tables = {key: value for key, value in values.items() if isinstance(value, dict)}
    parts = [f"{key} {', '.join(codes)}" for key, codes in lists.items()]
    for key, table in tables.items():
        pairs = (f"{name} = {', '.join(to) if isinstance(to, list) else to}" for name, to in table.items())
        parts.append(f"{key} {', '.join(pairs)}")
    return "; ".join(parts)


def apply_selection(settings: Settings, select: Sequence[str], ignore: Sequence[str]) -> Settings:
    """Add the codes of the command line to settings. `--select` replaces `select` and `ignore` of the files.

    Raises BadInput if no pattern is left.
    """
    if select:
        exemptions = tuple(exemption for exemption in settings.exemptions if exemption.glob)
        settings = replace(settings, select=tuple(select), exemptions=exemptions)
    settings = replace(settings, ignore=tuple(ignore))
    if not any(_list_enabled(settings)):
        raise BadInput("--ignore excludes all selected patterns, so nothing would be checked; ignore fewer")
    return settings


def parse_selection(
    select: str | None, ignore: str | None, *, with_model: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Parse the codes of `--select` and `--ignore`. Raises BadInput if no pattern with a check is left.

    with_model: whether a model reviews too. If so, patterns without a check are allowed.
    """
    selected, ignored = parse_codes("--select", select), parse_codes("--ignore", ignore)
    settings = apply_selection(Settings(), selected, ignored)
    if selected and not with_model and not any(map(get_check, _list_enabled(settings))):
        raise BadInput(
            "the selected patterns need a model, so nothing would be checked; add `--judge auto` to `diagnose`"
        )
    return selected, ignored


def _list_enabled(settings: Settings) -> Iterator[PatternModule]:
    for module in get_patterns().values():
        if settings.is_enabled(module.PATTERN.id, module.PATTERN.family):
            yield module


def parse_codes(option: str, text: str | None) -> tuple[str, ...]:
    """Parse the value `ID,ID` of an option. Raises BadInput for a code that matches no pattern."""
    codes = tuple(dict.fromkeys(part.strip() for part in (text or "").split(",") if part.strip()))
    _ensure_known(codes, option)
    return codes


def _read(path: Path) -> dict[str, Any]:
    """Read and parse a file. Raises FileNotFoundError or NotADirectoryError."""
    path.lstat()
    try:
        return _parse(path, _read_bytes(path))
    except BadInput as error:
        raise InvalidSettings(path, str(error)) from None


def _read_bytes(path: Path) -> bytes:
    if nofollow.escapes_project(str(path)):
        raise BadInput(f"{path}: a link out of its project; replace it with the file")
    try:
        return nofollow.read(os.path.realpath(path), _MAX_BYTES)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; make it readable or remove it") from None


@lru_cache(maxsize=64)
def _parse(path: Path, text: bytes) -> dict[str, Any]:
    """Parse the text of a file. The result is cached, because all units of a project share the file.

    The text is part of the cache key, because two versions that are written within one tick of the file system's
    clock can have the same time, size and inode.
    """
    import tomllib  # slow to load, and few projects have settings

    try:
        if any(len(line) > _MAX_LINE for line in text.splitlines()):
            raise BadInput(f"{path}: a line has more than {_MAX_LINE:,} bytes; split it")
        values = tomllib.loads(text.decode())
        _ensure_keys(values, path)
        schemas.check("settings", values)
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: {reason(error)}; save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{path}: not TOML: {_describe_toml_error(error, text)}; fix that line") from None
    except schemas.Invalid as error:
        raise BadInput(f"{path}: {error}{'' if ';' in error.problem else '; correct it'}") from None
    _ensure_known(tuple(_list_codes(values)), str(path))
    return values


def _describe_toml_error(error: Exception, text: bytes) -> str:
    """Return the message of the TOML parser. For an error at the end of the file, add the missing line number."""
    return reason(error).replace("(at end of document)", f"(at the end, line {len(text.splitlines())})")


def _ensure_keys(values: dict[str, Any], path: Path) -> None:
    """Raise BadInput for a setting that does not exist."""
    keys = schemas.load("settings")["properties"]
    for key in values:
        if key not in keys:
            hint = did_you_mean(key[:80], keys, f"settings are {', '.join(keys)}")
            raise BadInput(f"{path}: unknown setting {key[:80]!r}{hint}")


def _list_codes(values: dict[str, Any]) -> Iterator[str]:
    yield from values.get("select", ())
    yield from values.get("ignore", ())
    for codes in values.get("per-file-ignores", {}).values():
        yield from codes
    yield from values.get("severity", {})


def _ensure_known(codes: Sequence[str], where: str) -> None:
    """Raise BadInput for the first code that matches no pattern. where: the file or option with the codes."""
    patterns = [module.PATTERN for module in get_patterns().values()] if codes else []
    for code in codes:
        if not any(is_selected((code,), pattern.id, pattern.family) for pattern in patterns):
            raise BadInput(f"{where}: no pattern matches {code!r}{suggest_code(code)}")


def suggest_code(code: str) -> str:
    """Return a hint for an unknown code: the most similar code, or the list of families."""
    families = {name.lower() for module in get_patterns().values() for name in module.PATTERN.family.names}
    otherwise = f"families are {', '.join(FOCUS)}; `tune-skill patterns` lists all"
    return suggest_id(code) or did_you_mean(code.lower(), families, otherwise)
