"""Generate the plugin, the table of patterns, and the considerations as JSON, which loads faster than YAML.

Usage (by `./dev generate`): python -m orchestrator.installation.generate
"""

import tomllib
from pathlib import Path

from actions.patterns import build_table
from actions.yaml_reader import read_yaml
from orchestrator.fs import durable
from orchestrator.installation.plugin import build_plugin_files

ROOT = Path(__file__).resolve().parents[2]
_TABLE = '''"""The patterns with their grades and kinds of units. `./dev generate` writes this file."""

TABLE = """\\
{}"""
'''


def generate_files() -> dict[str, bytes]:
    """Build the generated files, by their path in the checkout."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    considerations = read_yaml((ROOT / "schemas" / "considerations.yaml").read_text("utf-8")).value
    return {f"plugin/{name}": content for name, content in build_plugin_files(project).items()} | {
        "actions/patterns/table.py": _TABLE.format(build_table()).encode(),
        "schemas/considerations.json": durable.encode_indented(considerations),
    }


def main() -> None:
    """Write the generated files."""
    for name, content in generate_files().items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        durable.write_bytes(path, content)


if __name__ == "__main__":
    main()
