"""Find the output formats. Each file in `formats/` defines one, and no other list of them exists."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import msgspec

from orchestrator.cli.output import formats
from orchestrator.errors import BadInput


class Format(msgspec.Struct, frozen=True):
    """An output format: its name for `--format`, and a function for each type of result that it can print."""

    name: str
    formatters: Mapping[type, Callable[[Any], str | bytes]]


@cache
def load_formats() -> dict[str, Format]:
    """Return all formats by name."""
    files = (file for folder in formats.__path__ for file in Path(folder).iterdir())  # importing `pkgutil` takes 1 ms
    names = sorted(file.stem for file in files if file.suffix == ".py" and file.stem != "__init__")
    modules = (import_module(f"{formats.__name__}.{name}") for name in names)
    return {module.FORMAT.name: module.FORMAT for module in modules}


def format_option(
    result: type, *names: str, default: str = "text", help: str | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Build the option `--format` with the formats that can print this type of result. The default comes first."""
    supported = [name for name, format in load_formats().items() if result in format.formatters]
    choices = sorted(supported, key=lambda name: (name != default, name))
    return click.option(
        "--format", *names, "format_", type=click.Choice(choices), default=default, show_default=True, help=help
    )


def ensure_format(result: object, name: str) -> None:
    """Raise BadInput if a result cannot be printed in the format `name`."""
    supported = [key for key, format in load_formats().items() if type(result) in format.formatters]
    if name not in supported:
        raise BadInput(f"this result cannot be printed as {name}; use {', '.join(supported)}")


def format_result(result: object, name: str) -> str | bytes:
    """Return a result in the format `name`."""
    return load_formats()[name].formatters[type(result)](result)


def print_result(result: object, name: str) -> None:
    """Print a result on stdout in the format `name`."""
    click.echo(format_result(result, name), nl=False)
