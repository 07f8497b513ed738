"""The work goes through a chain of intermediate files.

What it sees: four or more data files that one stage writes and exactly one other place reads, once.
Why it is bad: Every file costs a write, a read and the content once more; a slip in one name breaks the chain.
Instead: Hand small results on in the context or in one state file; keep files for what is large or must survive.
May be wrong: The files are large, go to sub-agents, or let the run go on after a break.
"""

from collections.abc import Iterator

from actions.facts.dataflow.artifacts import Mode, Use, artifact_uses
from actions.facts.dataflow.file_names import DATA, base, extension, is_open
from actions.model import Case
from actions.model import regex as re
from actions.patterns.pattern import Evidence, Pattern
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
BAD = (f"# Chain\n\n{_CHAIN}\n", f"# 链\n\n{_KETTE}\n")
GOOD = (
    "# Two\n\n## Step 1\nWrite the plan to `work/plan.json`.\n\n## Step 2\nRead `work/plan.json` and carry it out.\n",
    f"# Chain\n\nThe files let the run resume after a compaction.\n\n{_CHAIN}\n",
)
_ON_PURPOSE = re.compile(
    r"\bresum|\bcheckpoint|\bcompaction|\brestart|\bsub-?agent|\bTask\(|\bAgent\(|spawn_agent|恢复|断点|检查点|子代理",
    re.IGNORECASE,
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the first write of the chain, with the others beside it."""
    skill = case.skill
    chain = list(_links(artifact_uses(skill)))
    if len(chain) >= MANY and not any(_ON_PURPOSE.search(file.text) for file in skill.instructions):
        names = ", ".join(f"`{base(use.name)}`" for use in chain[:6])
        also = tuple(f"{u.file}:{u.line}: {base(u.name)}" for u in chain[1:])
        yield Evidence(
            chain[0].file, chain[0].line, f"{len(chain)} files are written for one reader each: {names}.", also=also
        )


def _links(uses: tuple[Use, ...]) -> Iterator[Use]:
    places: dict[str, list[Use]] = {}
    for use in uses:
        if extension(use.name) in DATA and not is_open(use.name):
            places.setdefault(use.name, []).append(use)
    for found in places.values():
        if sorted(use.mode for use in found) == [Mode.READ, Mode.WRITE]:
            yield next(use for use in found if use.mode is Mode.WRITE)
