"""A phase writes a file that no phase reads.

What it sees: a stage of the skill, not the last one, writes a data file; every other place that names the file writes
it or only lists it.
Why it is bad: The result is lost: a later phase works without it, or reads another name and finds nothing. The
run still pays for producing it.
Instead: Read the file where the result is needed, by the same name, or leave the file out.
May be wrong: The file is a product for the user, or a program outside of the skill reads it.
"""

import re
from collections.abc import Iterator

from actions.model import Case, Skill
from actions.model.artifacts import Mode, Use, artifact_uses, same
from actions.model.file_names import DATA, base, extension, is_open
from actions.model.stages import has_stages, is_last
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="DF-004",
    family=Family.DATAFLOW,
    impact=("loses",),
    confidence=Confidence.MEDIUM,
)
BAD = (
    """# Release notes

## Phase 1: Collect
```javascript
const commits = parseLog(Bash('git log --oneline'))
Write(`${workDir}/commit-groups.json`, JSON.stringify(commits))
```

## Phase 2: Draft
Write the notes from the merged pull requests of this milestone.

## Phase 3: Publish
Show the notes to the user.
""",
    {
        "phases/01-survey.md": "# Survey\n\nAsk for the audience and save the answers to `${run}/audience.yaml`.\n",
        "phases/02-outline.md": "# Outline\n\nMake an outline with at most nine headings.\n",
        "phases/03-write.md": "# Write\n\nWrite one chapter per heading.\n",
    },
    {
        "phases/01-scan.md": "# 扫描\n\n扫描全部模块，将依赖关系写入 `${workDir}/deps.json`。\n",
        "phases/02-rank.md": "# 排序\n\n读取 `${workDir}/dependencies.json`，按风险排序。\n",
    },
    {
        "phases/1-fetch.md": "# Fetch\n\n```python\nwith open(f\"{run_dir}/raw_rows.json\", \"w\") as out:\n    json.dump(rows, out)\n```\n",
        "phases/2-model.md": "# Model\n\nFit the model on the rows of the user's table.\n",
    },
)
GOOD = (
    """# Release notes

## Phase 1: Collect
Write(`${workDir}/commit-groups.json`) with one entry per area.

## Phase 2: Draft
Read(`${workDir}/commit-groups.json`) and write one paragraph per entry.

## Phase 3: Publish
Save the text to `${workDir}/release.json`.
""",
    {
        "phases/01-scan.md": "# 扫描\n\n将依赖关系写入 `${workDir}/deps.json`。\n",
        "phases/02-rank.md": "# 排序\n\n读取 `${workDir}/*.json`，按风险排序。\n",
    },
    {
        "phases/01-survey.md": "# Survey\n\nSave the answers to `${run}/audience.yaml`.\n",
        "phases/02-outline.md": "# Outline\n\nGive the path `${run}/audience.yaml` to the writer.\n",
    },
    "# Lint setup\n\n## Step 1: Configure\nCreate `eslint.config.json` in the project.\n\n## Step 2: Run\nRun the linter.\n\n## Step 3: Report\nTell the user.\n",
)
_KEPT = re.compile(
    r"report|summary|final|readme|result|deliver|log\b|histor|audit|backup|archive|snapshot|metric|trace|telemetry|state|session"
    r"|config|setting|setup|index|checkpoint|progress|receipt|manifest|package|metadata|output|schema|template|cache|lock|handoff"
    r"|tsconfig|pyproject|compose|workflow|dashboard|export",
    re.IGNORECASE,
)
_RUN_DIR = re.compile(r"^\*/|^\.[\w-]+/|^(?:tmp|temp|work|workspace|scratch|out|output|intermediate|run|runs)/", re.IGNORECASE)
_TAKES = r"(?:\b(?:read|load|use|using|from|based on|consume|parse|with|given|merge)\b|读取|加载|使用|基于|根据|来自|合并)"
_BROWSE = re.compile(r"\b(?:ls|Glob|find|glob|listdir|readdir)\b|\ball (?:files|artifacts|outputs)\b|所有(?:文件|产物|输出)")


def look(case: Case) -> Iterator[Evidence]:
    """Give each written name that nothing takes up, at its first write."""
    skill = case.skill
    if not has_stages(skill):
        return
    uses = artifact_uses(skill)
    told: set[str] = set()
    for use in uses:
        if use.mode is Mode.WRITE and use.name not in told and _is_handed_on(skill, use) and _unread(skill, uses, use):
            told.update(u.name for u in same(uses, use.name))
            yield _evidence(use)


def _evidence(use: Use) -> Evidence:
    data = extension(use.name) in DATA
    message = f"`{base(use.name)}` is written here and no phase reads it."
    return Evidence(use.file, use.line, message, severity=None if data else Severity.LOW)


def _is_handed_on(skill: Skill, use: Use) -> bool:
    """Whether the file looks like data for a later stage, not like a product, a record or a project's file."""
    name = base(use.name)
    if is_open(use.name) or _KEPT.search(name) or is_last(skill, skill.by_path[use.file], use.line):
        return False
    inside = bool(_RUN_DIR.search(use.name))
    return inside if extension(use.name) not in DATA or "/" in use.name else not name.startswith(".")


def _unread(skill: Skill, uses: tuple[Use, ...], use: Use) -> bool:
    if any(other.mode in (Mode.READ, Mode.MENTION) for other in same(uses, use.name)):
        return False
    return not _spoken_of(skill, use)


def _spoken_of(skill: Skill, use: Use) -> bool:
    """Whether another line takes the content up without naming the file, or takes the whole folder."""
    stem = [word for word in re.split(r"[^A-Za-z]+", base(use.name).rsplit(".", 1)[0]) if len(word) > 2]
    taken = re.compile(_TAKES + r"[^.\n]{0,60}?" + r"[\W_]?".join(map(re.escape, stem)), re.IGNORECASE) if stem else None
    folder = use.name.rsplit("/", 2)[-2] if use.name.count("/") else ""
    for file in skill.instructions:
        for number, line in enumerate(file.doc.lines, 1):
            if file.path == use.file and number == use.line:
                continue
            if taken and stem[0].lower() in line.lower() and base(use.name) not in line and taken.search(line):
                return True
            if folder and folder != "*" and f"{folder}/" in line and _takes_folder(line, folder):
                return True
            if _BROWSE.search(line) and ("*" in line or "all" in line.lower() or "所有" in line) and not folder.strip("*"):
                return True
    return False


def _takes_folder(line: str, folder: str) -> bool:
    return bool(re.search(re.escape(folder) + r"/(?![\w*${<\[.-])", line) or re.search(re.escape(folder) + r"/\*", line))
