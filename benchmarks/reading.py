"""Count the modules that a pattern imports, which a reader must open to understand its check.

    python benchmarks/reading.py [--most N]

The standard library and the modules in KNOWN, which every pattern uses, do not count. A module counts once. A name that
a package re-exports counts for the package.
"""

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from actions.patterns import get_patterns  # noqa: E402
from actions.patterns.pattern import PatternModule  # noqa: E402

KNOWN = {"actions.patterns.pattern", "actions.case", "actions.regex"}


def find_imports(pattern: PatternModule) -> set[str]:
    """Return the modules of this project that a pattern's file imports names from."""
    source = Path(str(sys.modules[pattern.__name__].__file__)).read_text("utf-8")
    return set(_list_imports(ast.parse(source))) - KNOWN


def _list_imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and (ROOT / node.module.partition(".")[0]).is_dir():
            yield node.module


def main() -> None:
    """Print the patterns that import the most."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=3)
    options = parser.parse_args()
    rows = sorted(
        ((find_imports(pattern), id) for id, pattern in get_patterns().items()),
        key=lambda pair: (-len(pair[0]), pair[1]),
    )
    for modules, id in rows[: options.most]:
        print(f"{id:12}{len(modules)}  {', '.join(sorted(modules))}")


if __name__ == "__main__":
    main()
