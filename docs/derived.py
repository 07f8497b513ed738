"""Print the parts of the pages that come from the code, as Markdown: tables and help texts.

Cog calls these functions where a page has a comment such as `[[[cog derived.patterns() ]]]` (`./dev generate`).
"""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import schemas  # noqa: E402
from actions.fixes.strategies import DRAFTED, get_strategies  # noqa: E402
from actions.scoring.quality import DEDUCTIONS  # noqa: E402
from actions.yaml_reader import read_yaml  # noqa: E402
from orchestrator import limits as environment_limits  # noqa: E402
from orchestrator.cli import SECTIONS, cli  # noqa: E402
from orchestrator.engine.pattern_pages import list_pattern_pages  # noqa: E402
from orchestrator.guard.sessions.config import DEFAULTS  # noqa: E402
from orchestrator.guard.steering.considerations import load_shipped_considerations  # noqa: E402

WIDTH = 100


def patterns() -> None:
    """Print a table for each family, and the page of each pattern without its examples."""
    rows = list_pattern_pages()
    families = [(name, list(group)) for name, group in groupby(rows, lambda row: row["id"].rpartition("-")[0])]
    for name, group in families:
        print(f"**{name}: {group[0]['family'].replace('_', ' ')}**\n")
        _table(("Pattern", "Severity", "Found by", "What it is"), map(_pattern_cells, group))
    for row in rows:
        _pattern(row)


def grades() -> None:
    """Print how many patterns can be proven."""
    rows = list_pattern_pages()
    proven = sum("proven" in row["grades"] for row in rows)
    print(f"There are {len(rows)} patterns. {proven} can be proven, at least in part; the others need a model.")


def _pattern_cells(row: dict[str, Any]) -> tuple[str, ...]:
    return f"[{row['id']}](#{row['id'].lower()})", row["severity"], _found_by(row), row["title"]


def _found_by(row: dict[str, Any]) -> str:
    return " or ".join({"proven": "parser", "read": "model"}[grade] for grade in row["grades"])


def _pattern(row: dict[str, Any]) -> None:
    print(f"## {row['id']}\n\n{row['title']}. {row['severity'].capitalize()}; found by {_found_by(row)}.\n")
    for label, clauses in (("It is", row["it_is"]), ("It is not", row["it_is_not"]), ("Low when", row["low_when"])):
        if clauses:
            print(f"**{label}**\n\n" + "".join(f"- {clause}\n" for clause in clauses))
    print(f"**Why it is bad.** {row['why']}\n\n**Instead.** {row['instead']}\n")
    if row["strategies"]:
        print(f"**Fixed by** {', '.join(row['strategies'])}.\n")


def strategies() -> None:
    """Print the strategies that need no model."""
    known = {module.STRATEGY: (module.__doc__ or "").strip() for module in get_strategies().values()}
    cells = ((f"`{s.name}`", ", ".join(s.fixes), s.risks, _first(text)) for s, text in known.items())
    _table(("Strategy", "Fixes", "Risk", "What it does"), cells)


def drafted() -> None:
    """Print the strategies that a model drafts."""
    names = ((f"`{name}`", title.rstrip(".")) for name, title in DRAFTED.items() if name not in get_strategies())
    _table(("Name", "What the draft does"), names)


def _first(text: str) -> str:
    return text.partition("\n")[0].rstrip(".")


def commands() -> None:
    """Print the help of each command."""
    top = click.Context(cli, info_name="tune-skill", terminal_width=WIDTH, **cli.context_settings)
    _help("tune-skill", cli, top, 2)
    for name in (name for section in SECTIONS.values() for name in section):
        command = cli.get_command(top, name)
        assert command is not None
        _command(f"tune-skill {name}", command, top)


def _command(path: str, command: click.Command, above: click.Context) -> None:
    context = click.Context(command, info_name=path.rpartition(" ")[2], parent=above, terminal_width=WIDTH)
    _help(path, command, context, path.count(" ") + 1)
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            _command(f"{path} {name}", inner, context)


def _help(path: str, command: click.Command, context: click.Context, level: int) -> None:
    print(f"{'#' * level} {path}\n\n```text\n{command.get_help(context)}\n```\n")


def skill_settings() -> None:
    """Print the keys of `tune-skill.toml`."""
    keys = schemas.load("settings")["properties"].items()
    _table(("Key", "Meaning"), ((f"`{key}`", part["description"].replace("->", "to")) for key, part in keys))


def project_settings() -> None:
    """Print the keys of `.maceff/config.json` with their defaults."""
    _table(("Key", "Default", "Values"), _settings(schemas.load("project_spec"), DEFAULTS, ""))


def _settings(schema: dict[str, Any], defaults: Any, above: str) -> Iterator[tuple[str, ...]]:
    for name, part in schema["properties"].items():
        whole = schemas.load(part["$ref"].removesuffix(".schema.json")) if "$ref" in part else part
        if "properties" in whole:
            yield from _settings(whole, defaults[name], f"{above}{name}.")
        elif "const" not in whole:
            yield f"`{above}{name}`", _json(defaults.get(name)), _values(whole)


def _json(value: Any) -> str:
    return "none" if value in (None, "") else f"`{json.dumps(value)}`"


def _values(part: dict[str, Any]) -> str:
    if "enum" in part:
        return ", ".join(f"`{value}`" for value in part["enum"])
    bounds = [f"{word} {part[key]:,}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in part]
    return " ".join([{"boolean": "`true` or `false`", "string": "text"}.get(part["type"], part["type"]), *bounds])


def limits() -> None:
    """Print the limits that environment variables set."""
    known = [limit for limit in vars(environment_limits).values() if isinstance(limit, environment_limits.Limit)]
    cells = ((f"`PSC_{limit.name}`", f"{limit.default:g}", f"{limit.maximum:g}") for limit in known)
    _table(("Variable", "Default", "At most"), cells)


def score() -> None:
    """Print how many points a finding of each severity costs."""
    _table(("Severity", "Points"), ((severity.value, str(points)) for severity, points in DEDUCTIONS.items()))


def considerations() -> None:
    """Print the questions that power steering asks about a session."""
    _table(
        ("Consideration", "Severity", "Question"),
        ((f"`{c.id}`", c.severity, c.question) for c in load_shipped_considerations()),
    )


def _table(head: Sequence[str], rows: Iterable[tuple[str, ...]]) -> None:
    for cells in (head, ["---"] * len(head), *rows):
        print(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    print()


def action() -> None:
    """Print the inputs of the GitHub Action."""
    inputs = read_yaml((ROOT / "action.yml").read_text("utf-8")).value["inputs"]
    cells = (
        (f"`{name}`", f"`{one['default']}`" if one["default"] else "none", one["description"])
        for name, one in inputs.items()
    )
    _table(("Input", "Default", "Meaning"), cells)
