"""The work goes through a chain of intermediate files.

What it sees: four or more data files that one stage writes and exactly one other place reads, once; or four or more whose
name or folder says that they only stand between two steps (`step2.json`, `tmp/part.txt`). Also three or more commands in a
row that each write a file for the next one alone: a pipe would do.
Why it is bad: Every file costs a write, a read and the content once more; a slip in one name breaks the chain.
Instead: Hand small results on in the context or in one state file; keep files for what is large or must survive.
May be wrong: The files are large, go to sub-agents, or let the run go on after a break.
"""

import re
from collections.abc import Iterator

from actions.facts.dataflow.artifacts import Mode, Use, artifact_uses
from actions.facts.dataflow.file_names import DATA, base, extension, is_open
from actions.facts.dataflow.pipes import piped
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="APV-001",
    family=Family.AUTHORING,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
)
MANY = 4
_CHAIN = "\n\n".join(
    f"## Step {n}\nRead `tmp/part{n}.json`. Write the outcome to `tmp/part{n + 1}.json`." for n in range(1, 7)
)
_KETTE = "\n\n".join(
    f"## 步骤 {n}\n读取 `work/{a}.json`，将结果写入 `work/{b}.json`。"
    for n, (a, b) in enumerate(zip("abcdef", "bcdefg", strict=True), 1)
)
BAD = (
    f"# Chain\n\n{_CHAIN}\n",
    f"# 链\n\n{_KETTE}\n",
    "# Bids\n\n1. Read the bids.\n2. Save the prices as `step1.json`, the corrected prices as `step2.json`, the scores as `step3.json`, the ranking as `step4.json`.\n3. Make `comparison.md` from them.\n",
    "# Extract\n\n```bash\nextract in.pdf > step1.txt\nclean step1.txt > step2.txt\nsplit step2.txt > step3.txt\nrank step3.txt > step4.txt\n```\n",
    "# Log\n\n1. Run `grep ERROR a.log > errors.txt`.\n2. Run `sort errors.txt > sorted.txt`.\n3. Run `uniq -c sorted.txt > counted.txt`.\n4. Show `counted.txt`.\n",
    "# Log\n\n```bash\ncut -f2 in.tsv > a.txt\nsort a.txt > b.txt\nuniq -c b.txt > c.txt\nhead c.txt\n```\n",
)
GOOD = (
    "# Two\n\n## Step 1\nWrite the plan to `work/plan.json`.\n\n## Step 2\nRead `work/plan.json` and carry it out.\n",
    f"# Chain\n\nThe files let the run resume after a compaction.\n\n{_CHAIN}\n",
    "# Bids\n\n1. Read the bids, take the prices and rank them.\n2. Write `comparison.md` and `bids.json`.\n",
    "# Log\n\n```bash\ncut -f2 in.tsv | sort | uniq -c > c.txt\nhead c.txt\n```\n",
    "# Log\n\n```bash\npdftotext in.pdf > in.txt\ngrep total in.txt > total.txt\n```\n",
)
_ON_PURPOSE = re.compile(
    r"\bresum|\bcheckpoint|\bcompaction|\brestart|\bsub-?agent|\bTask\(|\bAgent\(|spawn_agent|恢复|断点|检查点|子代理",
    re.IGNORECASE,
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the first write of the chain, with the others beside it."""
    skill = case.skill
    uses = artifact_uses(skill)
    chain = max(list(_links(uses)), list(_passing(uses)), key=len)
    commands = piped(skill) if len(chain) < MANY else ()
    if commands and not _is_on_purpose(case):
        names = ", ".join(f"`{base(step.out)}`" for step in commands)
        also = tuple(f"{step.file}:{step.line}: {base(step.out)}" for step in commands[1:])
        told = f"{len(commands)} files hand the output of one command to the next, where a pipe would do: {names}."
        yield Evidence(commands[0].file, commands[0].line, told, also=also)
    if len(chain) >= MANY and not _is_on_purpose(case):
        names = ", ".join(f"`{base(use.name)}`" for use in chain[:6])
        also = tuple(f"{u.file}:{u.line}: {base(u.name)}" for u in chain[1:])
        yield Evidence(
            chain[0].file, chain[0].line, f"{len(chain)} files only stand between two steps: {names}.", also=also
        )


def _is_on_purpose(case: Case) -> bool:
    """Tell whether the skill says what files between its steps are good for."""
    return any(_ON_PURPOSE.search(file.text) for file in case.skill.instructions)


def _passing(uses: tuple[Use, ...]) -> Iterator[Use]:
    """Give the first write of each file whose name or folder says that it only stands between two steps."""
    places: dict[str, list[Use]] = {}
    for use in uses:
        if _BETWEEN.search(use.name) and not is_open(use.name):
            places.setdefault(use.name, []).append(use)
    for found in places.values():
        writes = [use for use in found if use.mode is Mode.WRITE]
        if len(writes) == 1 and len(found) <= _MOST_USES:
            yield writes[0]


_BETWEEN = re.compile(
    r"^(?:tmp|temp|work|scratch|intermediate|interim)/"
    r"|(?:^|/)(?:(?:step|part|stage|pass|phase|round|draft|tmp|temp|s|v)[-_]?\d+|intermediate|interim|tmp|temp)[\w-]*\.\w+$",
    re.IGNORECASE,
)
_MOST_USES = 2


def _links(uses: tuple[Use, ...]) -> Iterator[Use]:
    places: dict[str, list[Use]] = {}
    for use in uses:
        if extension(use.name) in DATA and not is_open(use.name):
            places.setdefault(use.name, []).append(use)
    for found in places.values():
        if sorted(use.mode for use in found) == [Mode.READ, Mode.WRITE]:
            yield next(use for use in found if use.mode is Mode.WRITE)
