"""The version, from the installed metadata: pyproject.toml is its only home."""

from functools import cache


@cache
def version() -> str:
    """Give the version of the installed tune-skill; of a bare checkout, what its pyproject.toml says."""
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
