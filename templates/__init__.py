"""Every word that a person or a model reads, as Jinja templates. Untrusted text passes filters, never markup."""

from functools import cache
from typing import TYPE_CHECKING

from templates.filters import code, fenced, prose, sealed, seconds

if TYPE_CHECKING:
    from jinja2 import Environment


def render(name: str, /, **values: object) -> str:
    """Render the template `name` (its path without `.j2`). Raises UndefinedError when a value is missing."""
    return _environment().get_template(f"{name}.j2").render(values)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__name__, ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update({f.__name__: f for f in (code, fenced, prose, sealed, seconds)})
    return environment
