"""Return the version of tune-skill, whose only source is pyproject.toml."""

from functools import cache


@cache
def version() -> str:
    """Return the version of the installed package or, in a checkout that is not installed, of pyproject.toml."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("tune-skill")
    except PackageNotFoundError:
        import tomllib
        from pathlib import Path

        project = Path(__file__).resolve().parents[1] / "pyproject.toml"
        text: str = tomllib.loads(project.read_text())["project"]["version"]
        return text
