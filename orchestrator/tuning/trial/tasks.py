"""What a trial asks of both versions of a skill: tasks with their files and checks, from the formats that exist.

Each format is brought into the shape of `tasks.schema.json` first; what is wrong is told with its line.
"""

import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import schemas
from orchestrator.engine.time_limit import SECONDS, limit_time
from orchestrator.errors import BadInput, Refused
from orchestrator.fs import nofollow
from orchestrator.run.workspace.paths import inside, real
from orchestrator.tuning.trial.expressions import compile_regex, ensure_schema
from orchestrator.tuning.trial.formats import Source, describe_error, read_case, read_evals, read_tasks_file

KINDS = ("command", "file", "text", "regex", "schema", "tool", "tool_order", "skill", "rubric")
"""The one of these keys that a check has says what kind it is."""

READS = frozenset({"Read", "Glob", "Grep", "LS", "Skill"})
"""Tools that need no permission in the project; named in full they would reach the whole disk, so they are left out."""

_WRITES = ("Write", "Edit", "NotebookEdit")
_FILE = 10_000_000
_MOST = 200
_PLACES = ("evals/tasks.yaml", "evals/tasks.yml", "evals/tasks.json", "evals/evals.json")
_HALF = re.compile(r"[\ud800-\udfff]")
_PLAIN = re.compile(r"[\w.-]{1,60}")


@dataclass(frozen=True)
class Check:
    """One check of a run: its kind, what it is about, and what else was said of it."""

    kind: str
    about: Any
    more: Mapping[str, Any]

    @property
    def within(self) -> str:
        """Where it looks: `answer` (the last message), `trace` (all calls and texts), or a file of the project."""
        return str(self.more.get("in", "answer"))

    @property
    def label(self) -> str:
        """Its name in a report."""
        return f"{self.kind}: {self.about}"[:120]


@dataclass(frozen=True)
class Task:
    """What Claude Code is asked in an empty project that holds `files` (name, bytes), with which tools and limits.

    `tools` are rules of permission. `where` names the file and line that it comes from.
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
        """What it runs on this machine beyond files of its project: commands of checks, and tools that need consent."""
        run = (f"check: {check.about}" for check in self.checks if check.kind == "command")
        free = tuple(f"{name}(./**)" for name in _WRITES)
        return (*run, *(f"Claude may use {tool}" for tool in self.tools if tool not in free))

    def calls(self, skill: str) -> bool:
        """Return whether its prompt calls a skill by its slash command: then it is used without a call of a tool."""
        return self.prompt.split(maxsplit=1)[:1] == [f"/{skill}"]

    @property
    def unused(self) -> bool:
        """Whether it succeeds only where the skill is not used."""
        return any(check.kind == "skill" and not check.about for check in self.checks)


def read_tasks(skill: Path, given: str | None, against: str = "before") -> tuple[Task, ...]:
    """Return the tasks of a file or folder that was given, else those in the skill's `evals/`. Raises BadInput.

    against: the version in the command that is named where there are none.
    """
    draft = f"`tune-skill trial {shlex.quote(str(skill))} --against {shlex.quote(against)} --draft-tasks 5`"
    path = Path(given) if given is not None else _find_tasks(skill, draft)
    try:
        sources = tuple(map(_validate, _read_sources(path, skill)))
    except OSError as error:
        raise BadInput(f"{error.filename or path}: {error.strerror or error}; give a file of tasks") from None
    try:
        with limit_time(SECONDS):
            tasks = tuple(_build_task(source, n) for source in sources for n in range(len(source.value["tasks"])))
    except TimeoutError as error:
        raise BadInput(f"{path}: its tasks cannot be read: {error}; give fewer and shorter patterns") from None
    if not tasks:
        raise BadInput(f"{path}: no task in it; write one, or let a model draft some with {draft}")
    if len(tasks) > _MOST:
        raise BadInput(f"{path}: {len(tasks)} tasks, and a trial takes at most {_MOST}; give fewer")
    names = [task.name for task in tasks]
    for task in tasks:
        if names.count(task.name) > 1:
            raise BadInput(f"{task.where}: the name {task.name} stands more than once; give each task its own")
    return tasks


def hash_tasks(tasks: tuple[Task, ...]) -> str:
    """Return what tells these tasks from others: a hash of all that is in them."""
    told = [(t.name, t.prompt, [(c.kind, c.about, dict(c.more)) for c in t.checks], t.files, t.tools, t.network,
             t.seconds, t.max_turns) for t in tasks]  # fmt: skip
    return hashlib.sha256(repr(told).encode("utf-8", "backslashreplace")).hexdigest()


def _find_tasks(skill: Path, draft: str) -> Path:
    for name in _PLACES:
        if (skill / name).is_file():
            return skill / name
    if any(_find_cases(skill / "evals")):
        return skill / "evals"
    raise BadInput(
        f"{skill}: no tasks in evals/ (tasks.yaml, evals.json, NAME/case.yaml); give a file of them, or let a model "
        f"draft some with {draft}"
    )


def _find_cases(folder: Path) -> Iterator[Path]:
    """Yield the cases of `claude plugin eval` in a folder: a case.yaml, or a prompt.md beside its graders."""
    for marker in sorted({*folder.glob("**/case.yaml"), *folder.glob("**/prompt.md")}):
        if marker.name == "case.yaml" or not marker.with_name("case.yaml").exists():
            yield marker


def _read_sources(path: Path, skill: Path) -> Iterator[Source]:
    if path.is_dir():
        cases = tuple(_find_cases(path))
        if not cases:
            raise BadInput(f"{path}: no case.yaml or prompt.md below it; give a file of tasks")
        yield from map(read_case, cases)
    elif path.name in ("case.yaml", "prompt.md"):
        yield read_case(path)
    else:
        source = read_tasks_file(path)
        yield read_evals(source, skill) if "evals" in source.value else source


def _validate(source: Source) -> Source:
    try:
        schemas.check("tasks", source.value)
    except schemas.Invalid as error:
        raise BadInput(f"{source.at(error.pointer)}: {describe_error(error)}") from None
    _ensure_texts(source, source.value, "")
    return source


def _ensure_texts(source: Source, value: Any, pointer: str) -> None:
    """See that each text of a file of tasks can be given to a program."""
    if isinstance(value, str):
        if "\0" in value or _HALF.search(value):
            raise BadInput(f"{source.at(pointer)}: a text holds a NUL or half a character; take it out")
    elif isinstance(value, (dict, list)):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            _ensure_texts(source, each, f"{pointer}/{key}")


def _build_task(source: Source, number: int) -> Task:
    value, pointer = source.value["tasks"][number], f"/tasks/{number}"
    where = source.at(pointer)
    name = value.get("name") or f"task-{number + 1}"
    if not _PLAIN.fullmatch(name):
        raise BadInput(f"{where}: {name!r} is no name; write letters, digits, - _ . and at most 60 of them")
    checks = tuple(_build_check(source, each, f"{pointer}/checks/{n}") for n, each in enumerate(value["checks"]))
    given = {key: value[key] for key in ("network", "seconds", "max_turns") if key in value}
    if "tools" in value:
        given["tools"] = tuple(_build_rules(value["tools"]))
    files = tuple(_read_file(source, file, f"{pointer}/files/{n}") for n, file in enumerate(value.get("files", ())))
    if len({name for name, _ in files}) < len(files):
        raise BadInput(
            f"{source.at(f'{pointer}/files')}: two files of one name, and they lie in one folder; rename one"
        )
    return Task(name, value["prompt"], checks, where, files, **given)


def _build_check(source: Source, value: Mapping[str, Any], pointer: str) -> Check:
    kinds = [kind for kind in KINDS if kind in value]
    if len(kinds) != 1:
        has = f"has {', '.join(kinds)}; split it" if kinds else "has none; write one"
        raise BadInput(f"{source.at(pointer)}: a check has exactly one of {', '.join(KINDS)}, and this one {has}")
    kind = kinds[0]
    more = {key: each for key, each in value.items() if key != kind}
    try:
        _ensure_compiles(kind, value)
    except ValueError as error:
        raise BadInput(f"{source.at(pointer)}: {error}; mend it") from None
    place = value["file"] if kind == "file" else value.get("in", "answer")
    if place not in ("answer", "trace"):
        _ensure_inside(source, place, pointer)
    return Check(kind, value[kind], more)


def _ensure_compiles(kind: str, value: Mapping[str, Any]) -> None:
    """Raise ValueError for a pattern or schema that no run could be asked by."""
    if kind == "regex":
        compile_regex(value["regex"], value.get("flags", ""))
    elif kind == "schema":
        ensure_schema(value["schema"])
    elif kind == "tool":
        compile_regex(value.get("input", ""))


def _build_rules(tools: list[str]) -> Iterator[str]:
    """Yield the rules of permission for tools by name: those for files end at the project."""
    for tool in tools:
        if tool in _WRITES:
            yield f"{tool}(./**)"
        elif tool not in READS:
            yield tool


def _ensure_inside(source: Source, file: str, pointer: str) -> None:
    try:
        inside(real(source.root), file)
    except Refused:
        raise BadInput(f"{source.at(pointer)}: {file!r} leads out of the folder; name a file inside it") from None


def _read_file(source: Source, file: str, pointer: str) -> tuple[str, bytes]:
    _ensure_inside(source, file, pointer)
    try:
        return Path(file).name, nofollow.read(str(inside(real(source.root), file)), _FILE)
    except OSError as error:
        raise BadInput(f"{source.at(pointer)}: {file}: {error.strerror}; put the file there") from None
