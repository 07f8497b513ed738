"""Render texts for people and models from Jinja templates. Filters make untrusted text harmless."""

from functools import cache
from typing import TYPE_CHECKING

from templates.filters import code, counted, excerpt, fence_text, fence_word, label, line, prose, sealed, seconds

if TYPE_CHECKING:
    from jinja2 import Environment

_HTML = "html/"
_FILTERS = (code, counted, excerpt, fence_word, fence_text, label, line, prose, sealed, seconds)


def render(name: str, /, **values: object) -> str:
    """Render the template `name` (its path without `.j2`). Raises UndefinedError if a value is missing.

    In `html/` every value is escaped and made printable.
    """
    environment = _html() if name.startswith(_HTML) else _text()
    return environment.get_template(f"{name}.j2").render(values)


@cache
def _text() -> "Environment":
    environment = _environment()
    environment.filters.update({f.__name__: f for f in _FILTERS})
    return environment


@cache
def _html() -> "Environment":
    from templates import html_filters

    environment = _environment()
    environment.autoescape = True
    environment.finalize = html_filters.make_printable
    environment.filters.update({f.__name__: f for f in html_filters.FILTERS})
    return environment


def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(__name__, ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        optimized=False,  # a process renders a template once or twice
    )
