"""Writes down the fields that the skill's state really has, as a JSON Schema, and says when to check against it.

The schema lists what the pseudo-code and prose set, test and read; a kind is given where the set values show it. An update
is checked whole before it is written, so a bad one changes nothing.
"""

import json
import posixpath
import re
from collections.abc import Iterable

from actions.example import Example
from actions.facts.dataflow.artifacts import Use
from actions.facts.dataflow.file_names import base
from actions.facts.state.fields import FieldUse, field_uses
from actions.facts.state.files import state_file
from actions.skill import Case, Skill, SkillFile
from actions.skill.text import is_chinese
from actions.strategies.edits import Edit, edit, new_file
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Confidence, Risk

STRATEGY = Strategy(
    "schema_enforcement", ("DF-005",), Risk.MEDIUM, aliases=("structured_state", "transactional_updates")
)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the schema file and the line; None where the state's file has no plain name."""
    skill = case.skill
    home = state_file(skill)
    if home is None or "*" in base(home.name) or not base(home.name).endswith(".json"):
        return None
    path = _path(skill, base(home.name))
    file = skill.by_path[home.file]
    line = _sentence(
        is_chinese(skill.body), base(home.name), posixpath.relpath(path, posixpath.dirname(file.path) or ".")
    )
    return Draft(
        writes={path: new_file(_schema(field_uses(skill))), file.path: _insert(file, home, line)},
        description=f"Declare the fields of `{base(home.name)}` in `{path}` and check them before each write.",
        rationale="The fields are used in several places and declared in none.",
        impact="A misspelled or missing field is found when it is written, not phases later.",
        token_limit=len(line),
        confidence=Confidence.MEDIUM,
    )


def _path(skill: Skill, name: str) -> str:
    folder = next((f for f in ("specs", "schemas", "references") if f in skill.paths), "specs")
    return f"{folder}/{name.removesuffix('.json')}.schema.json"


def _schema(uses: Iterable[FieldUse]) -> str:
    kinds: dict[str, set[str]] = {}
    for use in uses:
        kinds.setdefault(use.name, set()).update(_kind(use.value))
    properties = {name: {"type": next(iter(found))} if len(found) == 1 else {} for name, found in kinds.items()}
    return json.dumps(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": properties,
            "additionalProperties": False,
        },
        indent=2,
        ensure_ascii=False,
    )


def _kind(value: str) -> Iterable[str]:
    return (kind for kind, shape in _KINDS if re.match(shape, value))


_KINDS = (
    ("string", r"[\"'`][^\"'`]*[\"'`]$|new Date\(\)\.toISOString\(\)$"),
    ("boolean", r"(?:true|false|True|False)$"),
    ("number", r"-?\d+(?:\.\d+)?$"),
    ("array", r"\[[^\]]*\]$"),
    ("object", r"\{[^}]*\}$"),
)


def _sentence(chinese: bool, name: str, link: str) -> str:
    if chinese:
        return f"每次写入 `{name}` 之前，按 [{link}]({link}) 校验；新增字段须先登记在该文件中。"
    return f"Check `{name}` against [{link}]({link}) before each write; add a new field there first."


def _insert(file: SkillFile, home: Use, line: str) -> bytes:
    """Put the line as a paragraph after the paragraph, list, table or fence that names the state's file."""
    fence = file.doc.fence_at(home.line)
    last = fence.end if fence else home.line
    while file.doc.line(last + 1).strip() and not file.doc.line(last + 1).startswith("#"):
        last += 1
    return edit(file, [Edit(last + 1, last, ["", line])])


BEFORE: tuple[Example, ...] = (
    {
        "SKILL.md": "# Crawl\n\nThe state lives in `crawl-state.json`. Read [seed](phases/1-seed.md), then [walk](phases/2-walk.md).\n\nTell the user how far it came.\n",
        "phases/1-seed.md": "# Seed\n\n```javascript\nconst state = JSON.parse(Read('crawl-state.json'))\nstate.queue = []\nstate.depth = 0\nstate.owner = 'crawler'\n```\n",
        "phases/2-walk.md": "# Walk\n\n```javascript\nfor (const url of state.queue) {\n  state.depth += 1\n}\nWrite('crawl-state.json', JSON.stringify(state))\n```\n",
    },
    {
        "SKILL.md": "# 巡检\n\n状态保存在 `state.json`。\n\n依次执行 [准备](phases/1-准备.md) 与 [巡检](phases/2-巡检.md)。\n",
        "phases/1-准备.md": "# 准备\n\n将 `state.owner` 设置为负责人，将 `state.targets` 设置为目标列表。\n",
        "phases/2-巡检.md": "# 巡检\n\n如果 `state.targets` 为空，则结束；否则更新 `state.last_target`。\n",
    },
)
AFTER: tuple[Example, ...] = (
    {
        "SKILL.md": "# Crawl\n\nThe state lives in `crawl-state.json`. Read [seed](phases/1-seed.md), then [walk](phases/2-walk.md).\n\nCheck `crawl-state.json` against [specs/crawl-state.schema.json](specs/crawl-state.schema.json) before each write; add a new field there first.\n\nTell the user how far it came.\n",
        "phases/1-seed.md": "# Seed\n\n```javascript\nconst state = JSON.parse(Read('crawl-state.json'))\nstate.queue = []\nstate.depth = 0\nstate.owner = 'crawler'\n```\n",
        "phases/2-walk.md": "# Walk\n\n```javascript\nfor (const url of state.queue) {\n  state.depth += 1\n}\nWrite('crawl-state.json', JSON.stringify(state))\n```\n",
        "specs/crawl-state.schema.json": '{\n  "$schema": "https://json-schema.org/draft/2020-12/schema",\n  "type": "object",\n  "properties": {\n    "queue": {\n      "type": "array"\n    },\n    "depth": {\n      "type": "number"\n    },\n    "owner": {\n      "type": "string"\n    }\n  },\n  "additionalProperties": false\n}\n',
    },
    {
        "SKILL.md": "# 巡检\n\n状态保存在 `state.json`。\n\n每次写入 `state.json` 之前，按 [specs/state.schema.json](specs/state.schema.json) 校验；新增字段须先登记在该文件中。\n\n依次执行 [准备](phases/1-准备.md) 与 [巡检](phases/2-巡检.md)。\n",
        "phases/1-准备.md": "# 准备\n\n将 `state.owner` 设置为负责人，将 `state.targets` 设置为目标列表。\n",
        "phases/2-巡检.md": "# 巡检\n\n如果 `state.targets` 为空，则结束；否则更新 `state.last_target`。\n",
        "specs/state.schema.json": '{\n  "$schema": "https://json-schema.org/draft/2020-12/schema",\n  "type": "object",\n  "properties": {\n    "owner": {},\n    "targets": {},\n    "last_target": {}\n  },\n  "additionalProperties": false\n}\n',
    },
)
