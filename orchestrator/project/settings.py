"""Reads `tune-skill.toml` of the project and of the skill; the skill's wins, is told, and does not count in CI."""

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import schemas
from actions.patterns import all_patterns, suggest_id
from actions.patterns.pattern import get_check
from actions.skill.paths import MAIN
from actions.skill.settings import FILE, Exemption, Settings, meant
from orchestrator.errors import BadInput, one_line, reason
from orchestrator.fs import nofollow
from schemas.vocabulary import FOCUS, Severity
from templates.filters import did_you_mean

_LONGEST, _LINE = 100_000, 2_000
"""Bytes of a settings file, and of a line of it: the TOML reader takes the square of the parts of a key."""


@dataclass(frozen=True)
class Table:
    """A settings file that its schema has accepted. `below` is where the skill lies from the file's folder."""

    source: str
    values: Mapping[str, Any]
    below: str = ""


def project_folder() -> Path:
    """Give the folder of the project that the command runs in: the nearest one with a `.git`, else the current."""
    here = _here()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise BadInput("the current folder is not there any more; change to another") from None


def project_table() -> tuple[Path, dict[str, Any]] | None:
    """Give the project's settings and their folder: the nearest file from here up to the project's folder.

    The file of a skill in the project is the skill's own, also where the command runs in it.
    """
    here, top = _here(), project_folder()
    for folder in (here, *here.parents):
        if (folder / FILE).is_file() and (folder == top or not (folder / MAIN).is_file()):
            return folder, _read(folder / FILE)
        if folder == top:
            return None
    return None


def settings_for(root: Path, project: tuple[Path, dict[str, Any]] | None = None) -> Settings:
    """Give the settings of the skill at `root`. Raises BadInput in one line for a file that cannot serve.

    In CI a skill does not set what is found in it: there its own file counts only where it is the project's as well.
    """
    root, tables = root.resolve(), []
    is_projects = project is not None and project[0].resolve() == root
    if project and not is_projects:
        folder, values = project
        tables.append(Table(FILE, values, _below(root, folder.resolve())))
    own = _of_skill(root)
    if own is None:
        return settings_of(tables)
    if _in_ci() and not is_projects:
        told = f"{own.source} is refused in CI: a skill does not set what is found in it; the project's {FILE} may"
    else:
        tables.append(own)
        told = f"{own.source}, the skill's own, sets what is found in it: {_said(own.values)}"
    return replace(settings_of(tables), told=(one_line(told),))


def settings_of(tables: Sequence[Table]) -> Settings:
    """Join settings files, the stronger ones last: a key wins as a whole, severities and exemptions one by one."""
    joined: dict[str, Any] = {}
    severity: dict[str, Severity] = {}
    exemptions: list[Exemption] = []
    for table in tables:
        joined |= table.values
        severity |= {id.upper(): Severity(level) for id, level in table.values.get("severity", {}).items()}
        ignores = table.values.get("per-file-ignores", {})
        exemptions += (Exemption(table.source, glob, tuple(codes), table.below) for glob, codes in ignores.items())
    strongest = next((table for table in reversed(tables) if "ignore" in table.values), None)
    if strongest:
        exemptions.append(Exemption(strongest.source, "", tuple(joined["ignore"]), strongest.below))
    return Settings(tuple(joined.get("select", ())), (), tuple(exemptions), severity)


def _of_skill(root: Path) -> Table | None:
    """Give the skill's own settings; None where it has none, or they set nothing."""
    own = root / FILE
    values = _read(own) if own.is_file() and own.resolve().is_relative_to(root) else {}
    return Table(f"{root.name}/{FILE}", values) if values else None


def _in_ci() -> bool:
    return os.environ.get("CI", "").strip().lower() not in ("", "0", "false", "no")


def _said(values: Mapping[str, Any]) -> str:
    """Give settings as a line."""
    tables = (key for key, value in values.items() if isinstance(value, dict))
    parts = [f"{key} {', '.join(value)}" for key, value in values.items() if isinstance(value, list)]
    for key in tables:
        pairs = (f"{what} = {', '.join(to) if isinstance(to, list) else to}" for what, to in values[key].items())
        parts.append(f"{key} {', '.join(pairs)}")
    return "; ".join(parts)


def chosen(settings: Settings, select: Sequence[str], ignore: Sequence[str]) -> Settings:
    """Give settings with what the command line says: `--select` sets aside what files select and ignore.

    Raises BadInput where no pattern would look.
    """
    if select:
        kept = tuple(one for one in settings.exemptions if one.glob)
        settings = replace(settings, select=tuple(select), exemptions=kept)
    settings = replace(settings, ignore=tuple(ignore))
    if not any(settings.looks(one.PATTERN.id, one.PATTERN.family) for one in all_patterns().values()):
        raise BadInput("--ignore leaves out all that is selected: nothing would be checked; ignore less")
    return settings


def asked_codes(
    select: str | None, ignore: str | None, *, is_read: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read the codes of `--select` and `--ignore`. Raises BadInput where they leave no pattern that could look.

    is_read: a model may be asked, too.
    """
    selected, ignored = codes("--select", select), codes("--ignore", ignore)
    left = chosen(Settings(), selected, ignored)
    looking = (one for one in all_patterns().values() if left.looks(one.PATTERN.id, one.PATTERN.family))
    if selected and not is_read and not any(map(get_check, looking)):
        raise BadInput(
            "only a model finds what is selected: nothing would be checked; `diagnose --judge auto` asks one"
        )
    return selected, ignored


def codes(option: str, text: str | None) -> tuple[str, ...]:
    """Read the `ID,ID` of an option. Raises BadInput for one that means no pattern."""
    found = tuple(dict.fromkeys(part.strip() for part in (text or "").split(",") if part.strip()))
    _ensure_known(found, option)
    return found


def _below(root: Path, folder: Path) -> str:
    return Path(os.path.relpath(root, folder)).as_posix()


def _read(path: Path) -> dict[str, Any]:
    if nofollow.is_link_out(str(path)):
        raise BadInput(f"{path}: a link out of its project; put the file itself there")
    try:
        text = nofollow.read(os.path.realpath(path), _LONGEST)
        if any(len(line) > _LINE for line in text.splitlines()):
            raise BadInput(f"{path}: a line of more than {_LINE:,} bytes; break it")
        values = tomllib.loads(text.decode())
        _ensure_keys(values, path)
        schemas.check("settings", values)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; make it readable or remove it") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: {reason(error)}; save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{path}: not TOML: {_placed(error, text)}; fix that line") from None
    except schemas.Invalid as error:
        raise BadInput(f"{path}: {error}{'' if ';' in error.problem else '; mend it'}") from None
    _ensure_known(tuple(_codes(values)), str(path))
    return values


def _placed(error: Exception, text: bytes) -> str:
    """Return what the TOML reader says, with a line also where it stopped at the end."""
    return reason(error).replace("(at end of document)", f"(at the end, line {len(text.splitlines())})")


def _ensure_keys(values: dict[str, Any], path: Path) -> None:
    keys = schemas.load("settings")["properties"]
    for key in values:
        if key not in keys:
            hint = did_you_mean(key[:80], keys, f"settings are {', '.join(keys)}")
            raise BadInput(f"{path}: {key[:80]!r} is no setting{hint}")


def _codes(values: dict[str, Any]) -> Iterator[str]:
    yield from values.get("select", ())
    yield from values.get("ignore", ())
    for listed in values.get("per-file-ignores", {}).values():
        yield from listed
    yield from values.get("severity", {})


def _ensure_known(found: Sequence[str], where: str) -> None:
    patterns = [module.PATTERN for module in all_patterns().values()] if found else []
    if odd := [code for code in found if not any(meant((code,), one.id, one.family) for one in patterns)]:
        raise BadInput(f"{where}: {odd[0]!r} means no pattern{hint_for(odd[0])}")


def hint_for(code: str) -> str:
    """Return what a code that means no pattern could have been; else what there is."""
    families = {name.lower() for module in all_patterns().values() for name in module.PATTERN.family.names}
    otherwise = f"families are {', '.join(FOCUS)}; `tune-skill patterns` lists all"
    return suggest_id(code) or did_you_mean(code.lower(), families, otherwise)
