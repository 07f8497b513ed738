"""Measure how the CPU seconds of `diagnose` grow from 500 to 4,000 units in a repository.

    python benchmarks/growth.py [UNITS ...]

Each repository is generated: plugins of four skills, four agents and four commands, with a hooks file and a manifest.
A ratio of 2 is linear growth.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TUNE = [sys.executable, str(ROOT / "tune_skill.py")]
SKILL = """---
name: count-{0}
description: Counts the birds of shore {1}-{0}. Use when birds of kind {0} are counted there.
---

# Count

Count each bird once. See [the guide](references/guide.md).

```bash
python ${{CLAUDE_SKILL_DIR}}/scripts/run.py --all
```
"""
AGENT = "---\nname: watcher-{0}\ndescription: Watches shore {1}-{0}. Use for watching.\n---\n\nWatch the shore.\n"
COMMAND = "---\ndescription: Tallies {1}-{0}.\n---\n\nTally. See [count](../skills/count-{0}/SKILL.md).\n"
SCRIPT = 'import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument("--all")\nparser.parse_args()\n'
HOOKS = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh ${CLAUDE_PLUGIN_ROOT}/check.sh"}]}]}}\n'
UNITS = 14
"""Units of one plugin."""


def write_repository(root: Path, units: int) -> None:
    """Write a repository of about this many units."""
    for plugin in range(units // UNITS):
        files = {".claude-plugin/plugin.json": f'{{"name": "p{plugin}"}}\n', "hooks/hooks.json": HOOKS, "check.sh": ""}
        for n in range(4):
            files |= {
                f"skills/count-{n}/SKILL.md": SKILL.format(n, plugin),
                f"skills/count-{n}/references/guide.md": "# Guide\n\nText.\n",
                f"skills/count-{n}/scripts/run.py": SCRIPT,
                f"agents/watcher-{n}.md": AGENT.format(n, plugin),
                f"commands/tally-{n}.md": COMMAND.format(n, plugin),
            }
        for name, text in files.items():
            path = root / f"plugins/p{plugin}/{name}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "add", "."], check=True)


def measure_cpu(root: Path) -> float:
    """Return the user CPU seconds of one diagnosis in one process, the best of two."""
    command = [*TUNE, "diagnose", str(root), "--no-cache", "--quiet", "--jobs", "1"]
    seconds = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ, check=False)
        seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return min(seconds)


def main() -> None:
    """Print the seconds for each size, and the ratio to the previous size."""
    before = 0.0
    for units in map(int, sys.argv[1:] or (500, 1000, 2000, 4000)):
        with tempfile.TemporaryDirectory() as folder:
            write_repository(Path(folder), units)
            seconds = measure_cpu(Path(folder))
        ratio = f"{seconds / before:6.2f} x" if before else ""
        print(f"{units:6,} units {seconds:8.2f} s {1000 * seconds / units:8.2f} ms per unit {ratio}")
        before = seconds


if __name__ == "__main__":
    main()
