"""The text sends the model to a file, phase or section that is not there.

What it sees: a path in a code span, a `Read(…)` or a command, a phase number, or a quoted section title, that names
a part of this skill which does not exist; and a script of the skill that a step runs by a path from the skill's folder
while the work goes on in the user's project. Broken Markdown links belong to SPEC-005.
Why it is bad: The model searches, gives up or makes the missing part up; a check that was to run is silently skipped.
Instead: Name the file by the path that it has; remove references to what is gone; begin the path of a bundled
script with `${CLAUDE_SKILL_DIR}/`.
May be wrong: The path belongs to the user's project or to another skill and the text does not say so.
"""

from collections.abc import Iterator

from actions.facts.references.missing import Kind, Missing
from actions.facts.references.paths import missing_references
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="DF-009",
    family=Family.DATAFLOW,
    impact=("blocks",),
    confidence=Confidence.MEDIUM,
    strategies=("repair_reference", "drop_dead_entry"),
    cause="reference",
)
BAD = (
    '# Bees\n\n1. Ask for the region.\n2. For mites, go by the section "Varroa thresholds" below.\n\n## Mite counts\n\nFrom three a day.\n',
    {
        "SKILL.md": "# Audit\n\nRead `references/severity-scale.md` before you grade a finding.\n",
        "references/grading.md": "# Grades\n\nThree grades.\n",
    },
    {
        "SKILL.md": '# Deploy\n\n1. Ask for the region.\n2. `Read("phases/02-roll-out.md")` and go on there.\n',
        "phases/01-plan.md": "# Plan\n\nName the steps.\n",
        "phases/02-rollout.md": "# Roll out\n\nTake one host at a time.\n",
    },
    {
        "SKILL.md": "# Check\n\n```bash\nbash scripts/lint-docs.sh docs/\n```\n",
        "scripts/lint.sh": "echo fine\n",
    },
    {
        "SKILL.md": "# Menu\n\nWeigh the dishes by the points in `references/seasons.md`.\n",
        "references/dishes.md": "# Dishes\n\nSoup first.\n",
    },
    """# Triage

## Phase 1: Sort
Sort the reports by area.

## Phase 2: Rank
Rank them. With fewer than three reports go to Phase 6.

## Phase 3: Tell
Tell the user the first five.
""",
    "# 审查\n\n## 阶段 1\n列出改动。\n\n## 阶段 2\n评估风险，高风险时进入阶段 7。\n\n## 阶段 3\n汇报。\n",
    '# Grade\n\nGrade each answer; ties are settled as described in the "Tie breaking" section.\n\n## Grades\n\nFrom one to five.\n',
    {
        "SKILL.md": "# 评审\n\n评审前先阅读 `specs/评分标准.md` 与 `specs/scoring.md`。\n",
        "specs/score.md": "# 评分\n\n五级。\n",
    },
    {
        "SKILL.md": "# Minutes\n\nWork in the user's repository.\n\n4. Write the minutes to `docs/minutes/` and commit them with `git commit`.\n5. Run `python3 scripts/check_minutes.py docs/minutes/today.md` and mend what it names.\n",
        "scripts/check_minutes.py": "print('ok')\n",
    },
    '# Bees\n\n1. Ask.\n2. For mites, go by the section "Varroa thresholds" below.\n\n## Mite counts\n\nThree a day.\n',
    "# Risk\n\n1. Rate the risk (see “Risk levels” below).\n\n## Grades\n\nA to C.\n",
    "# Loop\n\n1. Ask.\n2. Sort.\n3. If something is missing, go back to step 7.\n4. Show.\n",
    "# 验收\n\n按照“验收标准”一节检查。\n\n## 标准\n\n三条。\n",
    {
        "SKILL.md": '# X\n\nTake it back as told under\n"Starting over" in [specs/grades.md](specs/grades.md).\n',
        "specs/grades.md": "# Grades\n\n## Going up\n\nx\n\n## Going down\n\ny\n",
    },
    {
        "SKILL.md": "# X\n\n2. 打分，办法见 `specs/grades.md` 的“横着走”一节。\n",
        "specs/grades.md": "# Grades\n\n## Going up\n\nx\n\n## Going down\n\ny\n",
    },
    {
        "SKILL.md": "# X\n\nThe limits stand in `specs/grades.md`, section “Sideways”.\n",
        "specs/grades.md": "# Grades\n\n## Going up\n\nx\n\n## Going down\n\ny\n",
    },
    {
        "SKILL.md": "# Still\n\n## When the still goes wrong\n\nCauses and remedies are gathered in\n`specs/remedies.md`.\n",
        "specs/cuts.md": "# Cuts\n\nx\n",
    },
    "# 史料\n\n## 第一步\n\n查。\n\n## 第二步\n\n排。\n\n## 第三步\n\n写，参考第九步的格式。\n",
    '# Paint\n\nName each wall that has no colour of the section "House palette" below.\n\n## Walls\n\nFour.\n',
    {
        "SKILL.md": '# X\n\nOlder ones differ; mind the section "Sideways" of [specs/grades.md](specs/grades.md).\n',
        "specs/grades.md": "# Grades\n\n## Going up\n\nx\n\n## Going down\n\ny\n",
    },
    {
        "SKILL.md": "# Piano\n\n2. Choose the temperament (`specs/temper.md`, “Old keyboards”).\n",
        "specs/temper.md": "# Temper\n\n## Modern\n\nEqual.\n",
    },
)
GOOD = (
    {
        "SKILL.md": "# Audit\n\nRead `references/grading.md` before you grade. Reference sources as `src/app.py:12`.\n",
        "references/grading.md": "# Grades\n\nSee `references/grading.md` again, or `assets/logo.png` in the user's project.\n",
    },
    "# Scaffold\n\nCreate `scripts/build.sh` and `templates/page.html` in the project, then run `scripts/build.sh`.\n",
    "# Bridge\n\nFollow `references/rules.md` in the release-notes skill. If `specs/local.md` exists, read it.\n",
    """# Triage

## Phase 1: Sort
Sort. With fewer than three reports go to Phase 3.

## Phase 2: Rank
Rank as described in the "Tie breaking" section.

## Phase 3: Tell
Tell.

### Tie breaking
The older one wins.
""",
    {
        "SKILL.md": '# Minutes\n\n5. Run `python3 "${CLAUDE_SKILL_DIR}/scripts/check_minutes.py" docs/minutes/today.md` and commit with `git commit`.\n',
        "scripts/check_minutes.py": "print('ok')\n",
    },
    {
        "SKILL.md": "# Convert\n\n```bash\npython scripts/convert.py in.tif out.png\n```\n",
        "scripts/convert.py": "print('ok')\n",
    },
    '# Report\n\n1. Add a section "Limitations" below the results.\n2. Include the "Sources" section in the report.\n3. If something is missing, go back to step 1.\n',
    '# Bees\n\n1. For mites, go by the section "Mite counts" below.\n\n## Mite counts\n\nThree a day.\n',
    {
        "SKILL.md": '# X\n\nTake it back as told under\n"Going down" in [specs/grades.md](specs/grades.md).\n',
        "specs/grades.md": "# Grades\n\n## Going up\n\nx\n\n## Going down\n\ny\n",
    },
    {
        "SKILL.md": '# X\n\nWrite "Sideways" in `specs/grades.md` when the user asks for it. Replace the word “up” in `specs/grades.md`.\n',
        "specs/grades.md": "# Grades\n\n## Going up\n\nx\n\n## Going down\n\ny\n",
    },
    {
        "SKILL.md": "# Still\n\nWhen the still runs dry, the remedies are written by you into\n`specs/remedies.md` at the end.\n",
        "specs/cuts.md": "# Cuts\n\nx\n",
    },
    "# 史\n\n## 第一步\n\n看。\n\n## 第二步\n\n写。不行就回到第一步。\n\n## 第十二步\n\n按第二步的格式。\n",
    '# Paint\n\nName each wall that has no colour of the section "House palette" below.\n\n## House palette\n\nFour.\n',
    {
        "SKILL.md": '# X\n\nAdd a section "Sideways" to [specs/grades.md](specs/grades.md); mind the section "Going up" of `specs/grades.md`.\n',
        "specs/grades.md": "# Grades\n\n## Going up\n\nx\n\n## Going down\n\ny\n",
    },
    {
        "SKILL.md": "# Piano\n\n2. Choose the temperament (`specs/temper.md`, “Modern”) and write `specs/temper.md`, “so far” in brackets.\n",
        "specs/temper.md": "# Temper\n\n## Modern\n\nEqual.\n",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the first place of each target in each file."""
    told: set[tuple[str, str]] = set()
    for missing in missing_references(case.skill):
        if (missing.file, missing.target) not in told:
            told.add((missing.file, missing.target))
            yield _evidence(missing)


def _evidence(missing: Missing) -> Evidence:
    message, severity = _MESSAGES[missing.kind].format(missing.target), None
    if missing.kind is Kind.PATH and not missing.sure:
        folder = missing.target.strip("./").split("/")[0]
        message += f" The skill has no file below `{folder}/` (low: a path of the project looks the same)."
    if not missing.sure:
        severity = Severity.LOW
    return Evidence(missing.file, missing.line, message, severity=severity)


_MESSAGES = {
    Kind.PATH: "`{}` is named here and is not there.",
    Kind.STAGE: "The text sends to {}, and no such part is described.",
    Kind.SECTION: "The text sends to a section “{}”, and no heading is called so.",
    Kind.SCRIPT: "`{}` is looked for in the user's project here; the script lies in the skill's folder.",
}
