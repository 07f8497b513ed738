"""A definition stands twice.

What it sees: A template, table, list or paragraph of 40 words or more (or three sentences and more) that the same file holds again
in nearly the same words; a sentence that defines a thing and stands in two files; three names and more that a spec defines and another file spells out again; and two lists that describe the same named things, three or more, in much the same words.
Why it is bad: The file is read whole, so the second one adds nothing and is paid with every read. After the next change the
two differ, and the model follows either.
Instead: Define it once, give it a heading, and refer to that.
May be wrong: A short rule may be said again where it binds. Variants of one sample differ on purpose. What is short, a sample of
data, or in a file that is read on demand is low.
"""

from collections.abc import Iterator

from actions.facts.docs.glossaries import twin_lists
from actions.facts.docs.passages import Passage, between_files, is_for_agents, within_files
from actions.facts.docs.spelled_out import spelled_out
from actions.facts.docs.twins import twin_sentences
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, Role, Skill
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="DOC-RED-001",
    family=Family.REDUNDANCY,
    impact=("every_run", "easy"),
    confidence=Confidence.HIGH,
    strategies=("consolidate_to_ssot",),
    cause="duplicate",
)
_SHORT = 50
_SAMPLES = frozenset({"json", "jsonc", "yaml", "yml", "toml"})

_RECORD = (
    "```markdown\n> **Finding**: [what was seen, in one sentence]\n> - **Seen in**: [file and line, or the page of the report]\n"
    "> - **Sure**: [high, medium or low] — **because**: [what it rests on]\n"
    "> - **Changes**: [which earlier finding it confirms, weakens or replaces]\n"
    "> - **Reach**: [what else must be looked at because of it]\n```\n"
)
_TERMS = (
    "- **草稿**：由作者本人保存、尚未提交给任何评审人的文本，只有作者可以修改。\n"
    "- **候选稿**：已经提交并锁定、正在等待至少两名评审人给出结论的文本。\n"
    "- **定稿**：两名评审人都同意并且已经写入版本记录的文本，此后不再修改。\n"
)
_TASKS = ",\n".join(
    f'    {{\n      "label": "Run {name}",\n      "type": "shell",\n      // the interpreter that the user has chosen in this folder, never the one of the system\n'
    '      "options": { "folder": "the folder of the work", "shell": "the one that the user has chosen" },\n'
    "      // what tells that it has started, so that the next one may begin with its work\n"
    '      "begins": "the first line that names a port", "ends": "the line that says it is ready"\n    }'
    for name in ("server", "client")
)
_STEPS = "".join(f"\n{n}. Do step {n}.\n" for n in range(1, 8))
BAD = (
    "# Glaze\n\n## Terms\n\nA firing is one run of one kiln from cold to cold, with a date, a top temperature in degrees Celsius and a programme.\n\n## Tests\n\nNote the clay and the firing.\n\nA firing is one run of one kiln from cold to cold; it has a date, a top temperature in degrees Celsius and a programme.\n",
    {
        "SKILL.md": "# Stars\n\nClasses: [specs/classes.md](specs/classes.md).\n\nGive a class: K1 means visible to the naked eye at night; K2 means visible through field glasses; K3 means visible through a telescope only.\n",
        "specs/classes.md": "# Classes\n\n| class | meaning |\n|---|---|\n| K1 | visible to the naked eye at night |\n| K2 | visible through field glasses |\n| K3 | visible through a telescope |\n",
    },
    {
        "SKILL.md": "# 茶\n\n等级见 `specs/grade.md`。\n\n级别：特级是单芽、无碎片、当季采摘；一级是一芽一叶、少量碎片；二级是一芽两叶、碎片较多。\n",
        "specs/grade.md": "# 等级\n\n- 特级：单芽、无碎片、当季采摘。\n- 一级：一芽一叶、少量碎片。\n- 二级：一芽两叶、碎片较多。\n",
    },
    f"# Survey\n\n## How to record\n\nWrite each finding so:\n\n{_RECORD}{_STEPS}\n## Template of a round\n\nEach round has this part:\n\n{_RECORD}",
    f"# 评审\n\n## 术语\n\n{_TERMS}\n## 流程\n{_STEPS}\n## 附录\n\n{_TERMS.replace('至少两名', '两名')}",
    {
        "SKILL.md": "# Rating\n\nA supplier is sound when its equity is above a fifth of its assets and it paid its last eight invoices in time.\n",
        "references/terms.md": "# Terms\n\nA supplier is sound when its equity is above a fifth of its assets and it has paid its last eight invoices in time.\n",
    },
    """# Fan out

## Contract

| Skill | Role |
|---|---|
| `plan-writing` | Produces the list of independent tasks that this skill takes up |
| `merge-check` | Runs the whole test suite once, after all branches have come back |
| `branch-worker` | Does one task on one branch and reports its status in one line |

## Steps

Start one worker for each task.

## See also

- `plan-writing`: it produces the list of independent tasks this skill takes.
- `merge-check`: runs the whole suite once, after the branches have come back.
- `branch-worker`: does one task on one branch, reports its status.
""",
)
GOOD = (
    f'# Start\n\nCopy this file as it stands:\n\n```json\n{{\n  "tasks": [\n{_TASKS}\n  ]\n}}\n```\n',
    {
        "SKILL.md": "# Stars\n\nGive a class by [specs/classes.md](specs/classes.md). A K1 star goes on the first page; K2 stars on the second; a K3 star is named in the index.\n",
        "specs/classes.md": "# Classes\n\n| class | meaning |\n|---|---|\n| K1 | visible to the naked eye at night |\n| K2 | visible through field glasses |\n| K3 | visible through a telescope |\n",
    },
    {
        "SKILL.md": "# Rating\n\n[Terms](references/terms.md) has the definitions. A supplier is sound when it meets the one there.\n",
        "references/terms.md": "# Terms\n\nA supplier is sound when its equity is above a fifth of its assets and it paid its last eight invoices in time.\n",
    },
    f"# Survey\n\n## How to record\n\nWrite each finding so:\n\n{_RECORD}{_STEPS}\n## Template of a round\n\nEach round has the findings as in [How to record](#how-to-record).\n",
    f"# 评审\n\n## 术语\n\n{_TERMS}\n## 流程\n{_STEPS}\n每一步只处理候选稿。\n",
    """# Fan out

| Skill | Role |
|---|---|
| `plan-writing` | Produces the list of independent tasks |
| `merge-check` | Runs the whole test suite once |
| `branch-worker` | Does one task on one branch |

## When it fails

- `plan-writing`: ask the user for the list.
- `merge-check`: show the first failing test and stop.
- `branch-worker`: start it again with the error.
""",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the second place of each definition."""
    skill = case.skill
    told: list[Passage] = []
    for twin in within_files(skill):
        told.append(twin)
        message = f"About {twin.words} words stand here again; line {twin.at} says them first."
        also = (f"{twin.file}:{twin.at}: {skill.by_path[twin.file].doc.line(twin.at).strip()[:120]}",)
        severity = Severity.LOW if _is_mild(skill, twin) else None
        yield Evidence(twin.file, twin.start, message, line_end=twin.end, also=also, severity=severity)
    for same in twin_sentences(skill):
        if same.defines:
            message = (
                f"What “{same.text[:60]}” defines is defined in {same.other}:{same.at} already (low: it is short)."
            )
            also = (f"{same.other}:{same.at}: {skill.by_path[same.other].doc.line(same.at).strip()[:120]}",)
            yield Evidence(same.file, same.line, message, also=also, severity=Severity.LOW)
    yield from _from_specs(skill)
    for file in skill.instructions:
        for pair in twin_lists(file):
            if not any(t.file == file.path and t.start <= pair.end and pair.start <= t.end for t in told):
                names = ", ".join(f"`{name}`" for name in pair.names[:3])
                message = f"{len(pair.names)} things are described here in much the words of line {pair.at}: {names}."
                also = (f"{file.path}:{pair.at}: {file.doc.line(pair.at).strip()[:120]}",)
                yield Evidence(
                    file.path, pair.start, message, line_end=pair.end, also=also, severity=Severity.LOW, confidence=Confidence.MEDIUM
                )  # fmt: skip


def _from_specs(skill: Skill) -> Iterator[Evidence]:
    """Give the places that spell out what a spec defines, without those that are told as whole passages."""
    covered = {frozenset((passage.file, passage.other)) for passage in between_files(skill)}
    for again in spelled_out(skill):
        if frozenset((again.file, again.other)) not in covered:
            names = ", ".join(again.names[:4])
            message = f"{names} are defined in {again.other}:{again.at}, and here again."
            also = (f"{again.other}:{again.at}: {skill.by_path[again.other].doc.line(again.at).strip()[:120]}",)
            yield Evidence(again.file, again.start, message, again.end, also, severity=Severity.LOW)


def _is_mild(skill: Skill, twin: Passage) -> bool:
    file = skill.by_path[twin.file]
    fence = file.doc.fence_at(twin.start)
    sample = fence is not None and fence.lang in _SAMPLES
    return twin.words < _SHORT or sample or file.role is Role.REFERENCE or is_for_agents(file.path)
