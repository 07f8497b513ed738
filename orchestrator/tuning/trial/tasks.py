"""Read the tasks of a trial with their files and checks.

Each format is first converted to the shape of `tasks.schema.json`; errors are reported with their line.
"""

import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.engine.time_limit import SECONDS, limit_time
from orchestrator.errors import BadInput, Refused
from orchestrator.fs import nofollow
from orchestrator.fs.paths import inside, real
from orchestrator.tuning.trial.expressions import compile_regex, ensure_schema
from orchestrator.tuning.trial.formats import Source, ensure_valid, read_case, read_evals, read_tasks_file

KINDS = ("command", "file", "text", "regex", "schema", "tool", "tool_order", "skill", "rubric")
"""The kinds of checks: a check has exactly one of these keys."""

READS = frozenset({"Read", "Glob", "Grep", "LS", "Skill"})
"""Tools that need no permission in the project. They are left out: permission rules would allow the whole disk."""

_WRITES = ("Write", "Edit", "NotebookEdit")
_FILE = 10_000_000
_MOST = 200
_PLACES = ("evals/tasks.yaml", "evals/tasks.yml", "evals/tasks.json", "evals/evals.json")
_HALF = re.compile(r"[\ud800-\udfff]")
_PLAIN = re.compile(r"[\w.-]{1,60}")


@dataclass(frozen=True)
class Check:
    """One check of a run: its kind, its subject, and its further options."""

    kind: str
    about: Any
    more: Mapping[str, Any]

    @property
    def within(self) -> str:
        """What it reads: `answer` (the last message), `trace` (all calls and texts), or a file of the project."""
        return str(self.more.get("in", "answer"))

    @property
    def label(self) -> str:
        """Its name in a report."""
        return f"{self.kind}: {self.about}"[:120]


@dataclass(frozen=True)
class Task:
    """A prompt for Claude Code in a project that contains only `files` (name, bytes), with tools and limits.

    `tools` are permission rules. `where` is the file and line of its definition.
    """

    name: str
    prompt: str
    checks: tuple[Check, ...]
    where: str
    files: tuple[tuple[str, bytes], ...] = ()
    tools: tuple[str, ...] = tuple(f"{name}(./**)" for name in _WRITES)
    network: bool = True
    seconds: int = 300
    max_turns: int = 30

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands of checks and the tools that need consent, as they reach beyond the project."""
        run = (f"check: {check.about}" for check in self.checks if check.kind == "command")
        free = tuple(f"{name}(./**)" for name in _WRITES)
        return (*run, *(f"Claude may use {tool}" for tool in self.tools if tool not in free))

    def calls(self, skill: str) -> bool:
        """Return whether its prompt is the slash command of a skill, which needs no tool call."""
        return self.prompt.split(maxsplit=1)[:1] == [f"/{skill}"]

    @property
    def unused(self) -> bool:
        """Whether it succeeds only if the skill is not used."""
        return any(check.kind == "skill" and not check.about for check in self.checks)


def read_tasks(skill: Path, given: str | None, against: str = "before") -> tuple[Task, ...]:
    """Read the tasks of the given file or folder, else of the skill's `evals/`. Raises BadInput.

    against: the version in the suggested command if there are no tasks.
    """
    draft = f"`tune-skill trial {shlex.quote(str(skill))} --against {shlex.quote(against)} --draft-tasks 5`"
    path = Path(given) if given is not None else _find_tasks(skill, draft)
    try:
        sources = tuple(map(_validate, _read_sources(path, skill)))
    except OSError as error:
        raise BadInput(f"{error.filename or path}: {error.strerror or error}; give a tasks file") from None
    try:
        with limit_time(SECONDS):
            tasks = tuple(_build_task(source, n) for source in sources for n in range(len(source.value["tasks"])))
    except TimeoutError as error:
        raise BadInput(f"{path}: the tasks cannot be read: {error}; give fewer and shorter patterns") from None
    if not tasks:
        raise BadInput(f"{path}: no tasks found; write one, or let a model draft some with {draft}")
    if len(tasks) > _MOST:
        raise BadInput(f"{path}: {len(tasks)} tasks, but a trial allows at most {_MOST}; give fewer")
    names = [task.name for task in tasks]
    for task in tasks:
        if names.count(task.name) > 1:
            raise BadInput(f"{task.where}: duplicate task name {task.name}; give each task its own name")
    return tasks


def hash_tasks(tasks: tuple[Task, ...]) -> str:
    """Return a digest of the whole content of these tasks."""
    parts = [(t.name, t.prompt, [(c.kind, c.about, dict(c.more)) for c in t.checks], t.files, t.tools, t.network,
              t.seconds, t.max_turns) for t in tasks]  # fmt: skip
    return hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()


def _find_tasks(skill: Path, draft: str) -> Path:
    for name in _PLACES:
        if (skill / name).is_file():
            return skill / name
    if any(find_cases(skill / "evals")):
        return skill / "evals"
    raise BadInput(
        f"{skill}: no tasks in evals/ (tasks.yaml, evals.json, NAME/case.yaml); give a tasks file, or let a model "
        f"draft some with {draft}"
    )


def find_cases(folder: Path) -> Iterator[Path]:
    """Yield the cases of `claude plugin eval` in a folder: a case.yaml, or a prompt.md beside its graders."""
    for marker in sorted({*folder.glob("**/case.yaml"), *folder.glob("**/prompt.md")}):
        if marker.name == "case.yaml" or not marker.with_name("case.yaml").exists():
            yield marker


def _read_sources(path: Path, skill: Path) -> Iterator[Source]:
    if path.is_dir():
        cases = tuple(find_cases(path))
        if not cases:
            raise BadInput(f"{path}: no case.yaml or prompt.md below it; give a tasks file")
        yield from map(read_case, cases)
    elif path.name in ("case.yaml", "prompt.md"):
        yield read_case(path)
    else:
        source = read_tasks_file(path)
        yield read_evals(source, skill) if "evals" in source.value else source


def _validate(source: Source) -> Source:
    ensure_valid(source, "tasks")
    ensure_texts(source, source.value, "")
    return source


def ensure_texts(source: Source, value: Any, pointer: str) -> None:
    """Raise BadInput if a text cannot be passed to a program."""
    if isinstance(value, str):
        if "\0" in value or _HALF.search(value):
            raise BadInput(f"{source.at(pointer)}: the text contains a NUL or an unpaired surrogate; remove it")
    elif isinstance(value, (dict, list)):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            ensure_texts(source, each, f"{pointer}/{key}")


def _build_task(source: Source, number: int) -> Task:
    value, pointer = source.value["tasks"][number], f"/tasks/{number}"
    where = source.at(pointer)
    name = value.get("name") or f"task-{number + 1}"
    if not _PLAIN.fullmatch(name):
        raise BadInput(f"{where}: invalid name {name!r}; use at most 60 letters, digits, - _ .")
    checks = tuple(_build_check(source, each, f"{pointer}/checks/{n}") for n, each in enumerate(value["checks"]))
    given = {key: value[key] for key in ("network", "seconds", "max_turns") if key in value}
    if "tools" in value:
        given["tools"] = tuple(_build_rules(value["tools"]))
    return Task(name, value["prompt"], checks, where, read_files(source, value.get("files", ()), pointer), **given)


def _build_check(source: Source, value: Mapping[str, Any], pointer: str) -> Check:
    kinds = [kind for kind in KINDS if kind in value]
    if len(kinds) != 1:
        has = f"has {', '.join(kinds)}; split it" if kinds else "has none; write one"
        raise BadInput(f"{source.at(pointer)}: a check has exactly one of {', '.join(KINDS)}, but this one {has}")
    kind = kinds[0]
    more = {key: each for key, each in value.items() if key != kind}
    try:
        _ensure_compiles(kind, value)
    except ValueError as error:
        raise BadInput(f"{source.at(pointer)}: {error}; correct it") from None
    place = value["file"] if kind == "file" else value.get("in", "answer")
    if place not in ("answer", "trace"):
        _ensure_inside(source, place, pointer)
    return Check(kind, value[kind], more)


def _ensure_compiles(kind: str, value: Mapping[str, Any]) -> None:
    """Raise ValueError for a regular expression or schema that does not compile."""
    if kind == "regex":
        compile_regex(value["regex"], value.get("flags", ""))
    elif kind == "schema":
        ensure_schema(value["schema"])
    elif kind == "tool":
        compile_regex(value.get("input", ""))


def _build_rules(tools: list[str]) -> Iterator[str]:
    """Yield the permission rules for tools; file tools are limited to the project."""
    for tool in tools:
        if tool in _WRITES:
            yield f"{tool}(./**)"
        elif tool not in READS:
            yield tool


def _ensure_inside(source: Source, file: str, pointer: str) -> None:
    try:
        inside(real(source.root), file)
    except Refused:
        raise BadInput(f"{source.at(pointer)}: {file!r} is outside of the folder; name a file inside it") from None


def read_files(source: Source, names: Sequence[str], pointer: str) -> tuple[tuple[str, bytes], ...]:
    """Return last name and bytes of the files that a task or a prompt names. Raises BadInput."""
    files = tuple(_read_file(source, name, f"{pointer}/files/{n}") for n, name in enumerate(names))
    if len({name for name, _ in files}) < len(files):
        raise BadInput(
            f"{source.at(f'{pointer}/files')}: two files have the same name, but are copied into one folder; rename one"
        )
    return files


def _read_file(source: Source, file: str, pointer: str) -> tuple[str, bytes]:
    _ensure_inside(source, file, pointer)
    try:
        return Path(file).name, nofollow.read(str(inside(real(source.root), file)), _FILE)
    except OSError as error:
        raise BadInput(f"{source.at(pointer)}: {file}: {error.strerror}; put the file there") from None
