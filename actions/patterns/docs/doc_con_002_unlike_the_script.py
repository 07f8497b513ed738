"""The text and the implementation differ.

What it sees: A command in the text that hands a bundled Python or shell script an option which the script does not define; and
(low) a sentence about a bundled script that gives a number, a file, an option or a rule otherwise than its constants, defaults, file names
or head do; an exit code that it cannot end with, or a file that it writes although it opens none for writing.
Why it is bad: The script stops with a usage error each time, and the model works around it or gives up.
Instead: Write the option as the script names it, or add it to the script.
May be wrong: The script may define its options in another file. Scripts that hand unknown options on are not looked at.
"""

from collections.abc import Iterator

from actions.facts.docs.options import unknown_options
from actions.facts.docs.script_claims import false_claims
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="DOC-CON-002",
    family=Family.CONFLICT,
    impact=("blocks",),
    confidence=Confidence.HIGH,
    strategies=("reconcile_conflicting_definitions",),
)
_SCRIPT = (
    "import argparse\n\np = argparse.ArgumentParser()\np.add_argument('-o', '--output', help='where (default: here)')\n"
    "p.add_argument(\n    '--max-words',\n    type=int,\n)\nargs = p.parse_args()\n"
)
_CLICK = "import click\n\n\n@click.command()\n@click.option('--depth', '-d', default=3)\n@click.option('--out')\ndef main(depth, out):\n    pass\n"
_COUNT = "import json\nimport sys\n\nrows = json.load(open(sys.argv[1]))\nif not rows:\n    sys.exit('no rows')\nprint(json.dumps({'eggs': len(rows)}))\n"
BAD = (
    {
        "SKILL.md": "# Eggs\n\nRun `python3 scripts/count.py eggs.json`. It writes `eggs.csv` next to the list.\n",
        "scripts/count.py": _COUNT,
    },
    {
        "SKILL.md": "# 鸡蛋\n\n运行 `python3 scripts/count.py eggs.json`，脚本在有破蛋时退出码为 4。\n",
        "scripts/count.py": _COUNT,
    },
    {
        "SKILL.md": "# Tidy\n\nRun `python3 scripts/tidy.py DIR`.\n\nThe script asks before it deletes anything; `--yes` turns the question off.\n",
        "scripts/tidy.py": "import pathlib, sys\nfor old in pathlib.Path(sys.argv[1]).glob('*.bak'):\n    old.unlink()\n",
    },
    {
        "SKILL.md": "# 截图\n\n```bash\npython3 scripts/shot.py --at 12:00\n```\n\n脚本默认截前后各 20 秒。\n",
        "scripts/shot.py": "import argparse\n\nSPAN_SEC = 10\np = argparse.ArgumentParser()\np.add_argument('--at')\np.parse_args()\n",
    },
    {
        "SKILL.md": "# Print\n\nRun `bash scripts/print.sh`. Sheets wider than 300 millimetres are turned.\n",
        "scripts/print.sh": 'MAX_WIDTH=420\n[ "$1" -gt $MAX_WIDTH ] && turn\n',
    },
    {
        "SKILL.md": "# Depth\n\nDepth comes from `python scripts/depth.py FILE`, which counts from mapping quality 30 upwards.\n",
        "scripts/depth.py": "MIN_MAPQ = 20\n",
    },
    {
        "SKILL.md": "# Words\n\n`python scripts/words.py FILE` prints the count; a hyphenated word counts as two.\n",
        "scripts/words.py": '"""Count the words of a file. Hyphenated words are one word."""\nimport sys\n',
    },
    {
        "SKILL.md": "# Count\n\n```bash\npython3 scripts/count.py text.md --out-file words.json\n```\n",
        "scripts/count.py": _SCRIPT,
    },
    {
        "SKILL.md": "# 统计\n\n运行 `python ${CLAUDE_SKILL_DIR}/scripts/walk.py --depth 2 --format json`。\n",
        "scripts/walk.py": _CLICK,
    },
    {
        "SKILL.md": "# Count\n\n```bash\nuv run scripts/count.py \\\n  --output words.json \\\n  --word-limit 300\n```\n",
        "scripts/count.py": _SCRIPT,
    },
)
GOOD = (
    {
        "SKILL.md": "# Eggs\n\nRun `python3 scripts/count.py eggs.json`. It exits with 1 when there are no rows. Write its counts to `eggs.csv`.\n",
        "scripts/count.py": _COUNT,
    },
    {
        "SKILL.md": "# Eggs\n\n`scripts/count.py` writes `eggs.csv` and exits with status 3 when an egg is broken.\n",
        "scripts/count.py": "import sys\nimport table\ntable.dump('eggs.csv')\nsys.exit(table.status)\n",
        "scripts/table.py": "status = 0\n",
    },
    {
        "SKILL.md": "# Tidy\n\nRun `python3 scripts/tidy.py DIR`.\n\nThe script has no `--yes`: it deletes without a question. It calls `git clean` with `--force`.\n",
        "scripts/tidy.py": "import pathlib, sys\nfor old in pathlib.Path(sys.argv[1]).glob('*.bak'):\n    old.unlink()\n",
    },
    {
        "SKILL.md": "# 截图\n\n```bash\npython3 scripts/shot.py --at 12:00\n```\n\n脚本默认截前后各 10 秒。一场大约 20 秒。\n",
        "scripts/shot.py": "import argparse\n\nSPAN_SEC = 10\np = argparse.ArgumentParser()\np.add_argument('--at')\np.parse_args()\n",
    },
    {
        "SKILL.md": "# Words\n\n`python scripts/words.py FILE` prints the count; a hyphenated word counts as one. It keeps lines of 80 letters.\n",
        "scripts/words.py": '"""Count the words of a file. Hyphenated words are one word."""\nMAX_LETTERS = 80\n',
    },
    {
        "SKILL.md": "# Count\n\n```bash\npython3 scripts/count.py text.md -o words.json --max-w 300 | sort --unique\npython3 scripts/count.py --help\n```\n",
        "scripts/count.py": _SCRIPT,
    },
    {
        "SKILL.md": "# 统计\n\n运行 `python scripts/walk.py --depth 2 --out x`，再运行 `python tools/walk2.py --fast`。\n",
        "scripts/walk.py": _CLICK,
    },
    {
        "SKILL.md": "# Run\n\n```bash\npython scripts/run.py --anything goes\n```\n",
        "scripts/run.py": "import argparse\n\np = argparse.ArgumentParser()\np.add_argument('--one')\nargs, rest = p.parse_known_args()\n",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each unknown option once per file and script."""
    told: set[tuple[str, str, str]] = set()
    for unknown in unknown_options(case.skill):
        key = (unknown.file, unknown.script, unknown.option)
        if key not in told:
            told.add(key)
            known = ", ".join(f"`{option}`" for option in unknown.known[:6])
            message = f"`{unknown.script}` has no option `{unknown.option}`; it has {known}."
            yield Evidence(unknown.file, unknown.line, message)
    for claim in false_claims(case.skill):
        message = f"“{claim.said[:120]}” is not what `{claim.script}` does: {claim.found}."
        yield Evidence(
            claim.file, claim.line, message, also=(claim.script,), severity=Severity.LOW, confidence=Confidence.MEDIUM
        )
