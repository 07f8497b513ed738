"""Read tasks in three formats: our own, `evals/evals.json` of skill-creator, and the cases of `claude plugin eval`.

All are converted to the format of `tasks.schema.json`. Errors are found in the converted value, so its JSON pointers
are mapped back to lines of the source file.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

import schemas
from actions.yaml_reader import Yaml, YamlError, YamlLimitError, read_yaml
from orchestrator.errors import BadInput, reason
from orchestrator.fs import nofollow

_MAX_BYTES = 2_000_000
_MISSING_KEY, _UNEXPECTED_KEY = (
    re.compile(r"'([^']+)' is a required property"),
    re.compile(r"\((.+) (?:was|were) unexpected\)"),
)


class Source(msgspec.Struct, frozen=True):
    """The tasks in a file, converted to the project's own format (`value`).

    root: the folder to which the paths of files in tasks are relative. lines: the line numbers in the file. moved:
    maps JSON pointers in `value` to different pointers in the file.
    """

    path: Path
    value: Any
    root: Path
    lines: Yaml | None = None
    moved: Mapping[str, str] = msgspec.field(default_factory=dict)

    def locate(self, pointer: str) -> str:
        """Return `file:line` of a JSON pointer, or of its nearest parent that the file contains."""
        steps = pointer.split("/")
        parents = ("/".join(steps[:count]) for count in range(len(steps), 0, -1))
        target = next((self.moved[parent] for parent in parents if parent in self.moved), pointer)
        return f"{self.path}:{self.lines.find_line(target.split('/')[1:])}" if self.lines else str(self.path)


def read_tasks_file(path: Path) -> Source:
    """Read a tasks file in YAML or JSON. A file with the key `evals` has the format of skill-creator.

    Raises BadInput if the content is invalid, and OSError if the file cannot be read.
    """
    value, lines = parse_file(path)
    if not isinstance(value, dict) or not ("tasks" in value or "evals" in value):
        raise BadInput(f"{path}:1: neither `tasks` nor `evals` found; write `tasks:`, as docs/trial.md shows")
    if "tasks" in value:
        ensure_valid(Source(path, value, path.parent, lines), "tasks")
    return Source(path, value, path.parent, lines)


def read_evals(source: Source, skill: Path) -> Source:
    """Convert the evals of skill-creator to tasks. Each expectation becomes a criterion that a model decides.

    Raises BadInput if the evals are invalid.
    """
    ensure_valid(source, "evals")
    tasks, moved = [], {}
    for number, case in enumerate(source.value["evals"]):
        criteria = case.get("expectations") or case.get("assertions") or [case.get("expected_output")]
        checks = [{"rubric": text, "in": "trace"} for text in criteria if text]
        moved[f"/tasks/{number}"] = f"/evals/{number}"
        tasks.append({
            "name": f"eval-{case.get('id', number + 1)}", "prompt": case["prompt"],
            "files": case.get("files") or [], "checks": checks,
        })  # fmt: skip
    return Source(source.path, {"schema_version": 1, "tasks": tasks}, skill, source.lines, moved)


class PluginEvalCase(msgspec.Struct, frozen=True):
    """A case of `claude plugin eval`. execution: the prompt and its limits. lines: the line numbers of case.yaml."""

    path: Path
    name: str
    execution: Mapping[str, Any]
    graders: tuple[Mapping[str, Any], ...]
    lines: Yaml | None


def parse_case(path: Path) -> PluginEvalCase:
    """Read a case of `claude plugin eval` from its case.yaml, prompt.md and graders/*.md.

    Raises BadInput if the content is invalid, and OSError if a file cannot be read.
    """
    lines: Yaml | None = None
    case: dict[str, Any] = {}
    if path.name == "case.yaml":
        case, lines = parse_file(path)
        ensure_valid(Source(path, case, path.parent, lines), "case")
    execution = dict(case.get("execution") or {})
    body = path.with_name("prompt.md")
    if body.is_file():
        settings, text = _split_markdown(body)
        keys = ("max_turns", "timeout_seconds", "allowed_tools")
        execution = {**{key: settings[key] for key in keys if key in settings}, **execution,
                     "prompt": text or execution.get("prompt")}  # fmt: skip
    if not str(execution.get("prompt") or "").strip():
        raise BadInput(f"{path}:1: no prompt; write execution.prompt, or a prompt.md next to it")
    graders = (*case.get("graders", ()), *_read_graders(path.with_name("graders")))
    return PluginEvalCase(path, case.get("name") or path.parent.name, execution, graders, lines)


def read_case(path: Path) -> Source:
    """Read a case of `claude plugin eval` and convert it to a task. Raises the errors of `parse_case`."""
    case = parse_case(path)
    moved = {"/tasks/0": "", "/tasks/0/checks": "/graders"}
    moved |= {f"/tasks/0/checks/{number}": f"/graders/{number}" for number in range(len(case.graders))}
    source = Source(path, {}, path.parent, case.lines, moved)
    task = {
        "name": case.name, "prompt": case.execution["prompt"],
        "checks": [_convert_grader(source, grader, f"/tasks/0/checks/{n}") for n, grader in enumerate(case.graders)],
        "max_turns": case.execution.get("max_turns", 10), "seconds": case.execution.get("timeout_seconds", 300),
        "tools": case.execution.get("allowed_tools") or ["Write", "Edit"],
    }  # fmt: skip
    return Source(path, {"schema_version": 1, "tasks": [task]}, path.parent, case.lines, moved)


def _convert_grader(source: Source, grader: Mapping[str, Any], pointer: str) -> dict[str, Any]:
    """Convert a grader of `claude plugin eval` to a check. Raises BadInput if trials do not support the grader."""
    texts = {"last_message": "answer", "trace": "trace"}
    target = grader.get("target", grader.get("focus", "last_message"))
    text = target.get("path") if isinstance(target, dict) else texts.get(target)
    kind = grader.get("type")
    if text is None or kind not in ("regex", "tool_order", "tool_used", "file_exists", "llm"):
        what = kind if text else f"{kind} of {target}"
        raise BadInput(f"{source.locate(pointer)}: trials do not support the grader {what}; remove it")
    match kind:
        case "regex":
            match, check = str(grader.get("match", "contains")), {"regex": grader["pattern"], "in": text}
            if match.startswith("count:"):
                return {**check, "flags": grader.get("flags", ""), "count": int(match[6:])}
            return {**check, "flags": grader.get("flags", ""), "absent": match == "not_contains"}
        case "file_exists":
            return {"file": grader["path"], "exists": grader.get("exists", True)}
        case "llm":
            return {"rubric": grader["criteria"], "in": text}
        case "tool_order":
            return {"tool_order": [_get_tool_name(grader["before"]), _get_tool_name(grader["after"])]}
    if grader["tool"] == "Skill" and not grader.keys() & {"input_match", "min", "max"}:
        return {"skill": True}
    renamed = {"input_match": "input", "min": "min", "max": "max"}
    return {"tool": grader["tool"], **{new: grader[old] for old, new in renamed.items() if old in grader}}


def _get_tool_name(side: Any) -> str:
    return str(side["tool"] if isinstance(side, dict) else side)


def _read_graders(folder: Path) -> Iterator[Mapping[str, Any]]:
    for path in sorted(folder.glob("*.md")):
        frontmatter, text = _split_markdown(path)
        key = {"llm": "criteria", "regex": "pattern"}.get(str(frontmatter.get("type")), "")
        grader = {"name": path.stem, **frontmatter, **({key: text} if key and text else {})}
        try:
            schemas.check("case", {"schema_version": "1.0", "name": path.stem, "graders": [grader]})
        except schemas.Invalid as error:
            raise BadInput(f"{path}:1: {describe_error(error)}") from None
        yield grader


def _split_markdown(path: Path) -> tuple[dict[str, Any], str]:
    text = _read_text(path)
    if not text.startswith("---\n"):
        return {}, text.strip()
    frontmatter, end, body = text[4:].partition("\n---")
    value = _parse_text(path, frontmatter, first_line=2)[0] if end else None
    if not isinstance(value, dict):
        raise BadInput(f"{path}:1: the frontmatter is not a mapping between two lines of ---; correct it")
    return value, body.strip()


def ensure_valid(source: Source, schema: str) -> None:
    """Raise BadInput if the tasks do not match a schema. The message has the line of the first violation."""
    try:
        schemas.check(schema, source.value)
    except schemas.Invalid as error:
        raise BadInput(f"{source.locate(error.pointer)}: {describe_error(error)}") from None


def describe_error(error: schemas.Invalid) -> str:
    """Describe a schema violation for the user: what is wrong, and what to do."""
    name = next((f"`{step}` " for step in reversed(error.pointer.split("/")) if step and not step.isdecimal()), "")
    if "expected to be empty" in error.problem:
        return f"{name}is not supported: a trial has no scaffold, history or other folders; remove it"
    if "non-empty" in error.problem:
        lacks = "has no check, but a task needs at least one" if name == "`checks` " else "is empty"
        return f"{name}{lacks}; write one"
    if missing := _MISSING_KEY.match(error.problem):
        return f"`{missing[1]}` is missing; write it"
    if unknown := _UNEXPECTED_KEY.search(error.problem):
        return f"unknown key: {unknown[1]}; correct or remove it"
    return f"{name}{error.problem}; correct it"


def _read_text(path: Path) -> str:
    try:
        return nofollow.read(str(path), _MAX_BYTES).decode()
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not UTF-8; save it as UTF-8") from None


def parse_file(path: Path) -> tuple[Any, Yaml | None]:
    """Return the value in a YAML or JSON file, and its line numbers.

    Raises BadInput if the content is invalid, and OSError if the file cannot be read.
    """
    return _parse_text(path, _read_text(path))


def _parse_text(path: Path, text: str, first_line: int = 1) -> tuple[Any, Yaml | None]:
    """Return the parsed value, and its line numbers (None for JSON that is not valid YAML)."""
    try:
        if path.suffix != ".json":
            parsed = read_yaml(text)
            return parsed.value, parsed
        lines = _find_lines(text)
        return json.loads(text), lines
    except YamlError as error:
        raise BadInput(f"{path}:{error.line + first_line - 1}: the file {error}") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{error.lineno}: {reason(error)}; correct it") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: cannot be read: {reason(error)[:200]}; correct it") from None


def _find_lines(text: str) -> Yaml | None:
    try:
        return read_yaml(text)
    except YamlLimitError:
        raise
    except YamlError:
        return None
