"""Read the tasks of a trial, with their files and checks.

Each source file is converted to the format of `tasks.schema.json`. Errors are reported with the line in the source.
"""

import hashlib
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from actions.regex import regex
from orchestrator.errors import BadInput, Refused
from orchestrator.time_limit import SECONDS, limit_time
from orchestrator.tuning.trial.expressions import compile_regex, ensure_schema
from orchestrator.tuning.trial.fixtures import (
    BUILT_IN_STUBS,
    EMPTY_STAGE,
    Fixture,
    Stage,
    Stub,
    build_fixture,
    build_stage,
    list_remotes,
    list_users,
)
from orchestrator.tuning.trial.formats import Source, ensure_valid, read_case, read_evals, read_tasks_file
from orchestrator.tuning.trial.task_files import ensure_inside, ensure_separate, read_files, read_project

CHECK_KINDS = ("command", "file", "text", "regex", "schema", "tool", "tool_order", "skill", "rubric")
"""The kinds of checks. A check has exactly one of these keys."""

STUB_PREFIX = "stub:"
"""The prefix of a check's source if the check reads the state of a stub."""

WEB_TOOLS = ("WebFetch", "WebSearch")
READ_TOOLS = frozenset({"Read", "Glob", "Grep", "LS", "Skill"})


_WRITE_TOOLS = ("Write", "Edit", "NotebookEdit")
_MAX_TASKS = 200
_TASK_FILES = ("evals/tasks.yaml", "evals/tasks.yml", "evals/tasks.json", "evals/evals.json")
_SURROGATE = regex(r"[\ud800-\udfff]")
_VALID_NAME = regex(r"[\w.-]{1,60}")


class Check(msgspec.Struct, frozen=True):
    """One check of a run. argument: the value of the key that is the kind, for example a path or a command."""

    kind: str
    argument: Any
    options: Mapping[str, Any]

    @property
    def within(self) -> str:
        """The name of the text to check.

        This is `answer` (the last message), `trace` (all calls and texts), `calls` (of the stubs), `stub:NAME` (the
        state of a stub), or the path of a file in the project.
        """
        return str(self.options.get("in", "answer"))

    @property
    def label(self) -> str:
        """The name of the check in a report. A regular expression is written between slashes, followed by its flags."""
        if self.kind == "regex":
            flags = self.options.get("flags", "")
            return f"regex: /{str(self.argument)[: 111 - len(flags)]}/{flags}"
        return f"{self.kind}: {self.argument}"[:120]


class Task(msgspec.Struct, frozen=True):
    """A prompt for Claude Code in a project, with the checks that decide whether a run succeeded.

    files: all files of the project, as pairs of path and bytes. tools: the permission rules. where: the file and line
    that define the task. stage: what else is set up. fixture: how the task tests a finding, if it tests one.
    """

    name: str
    prompt: str
    checks: tuple[Check, ...]
    where: str
    files: tuple[tuple[str, bytes], ...] = ()
    tools: tuple[str, ...] = tuple(f"{name}(./**)" for name in _WRITE_TOOLS)
    network: bool = True
    seconds: int = 300
    max_turns: int = 30
    stage: Stage = EMPTY_STAGE
    fixture: Fixture | None = None

    @property
    def commands(self) -> tuple[str, ...]:
        """The parts that need consent: commands, scripts, and tools that can access more than the project."""
        checks = (f"check: {check.argument}" for check in self.checks if check.kind == "command")
        harmless = tuple(f"{name}(./**)" for name in _WRITE_TOOLS)
        tools = (f"Claude may use {tool}" for tool in self.tools if tool not in harmless)
        return (*self.stage.commands, *checks, *tools)

    @property
    def allows_commands(self) -> bool:
        """Whether a rule allows some shell command. Claude Code then also allows `ls`, `echo` and others."""
        return any(tool.partition("(")[0] == "Bash" for tool in self.tools)

    @property
    def refused_tools(self) -> tuple[str, ...]:
        """The tools that a run cannot use."""
        return (*(() if self.allows_commands else ("Bash",)), *(() if self.network else WEB_TOOLS))

    def calls(self, skill: str) -> bool:
        """Return whether the prompt calls a skill by its slash command, which needs no tool call."""
        return self.prompt.split(maxsplit=1)[:1] == [f"/{skill}"]

    @property
    def expects_no_use(self) -> bool:
        """Whether the task succeeds only if the skill is not used."""
        return any(check.kind == "skill" and not check.argument for check in self.checks)


def read_tasks(skill: Path, option: str | None, against: str = "before") -> tuple[Task, ...]:
    """Read the tasks from a file or folder.

    option: its path; by default, the folder `evals/` of the skill. against: the version in the command that the
    error message suggests. Raises BadInput if the tasks are invalid or missing.
    """
    draft = f"`tune-skill trial {shlex.quote(str(skill))} --against {shlex.quote(against)} --draft-tasks 5`"
    path = Path(option) if option is not None else _find_tasks(skill, draft)
    try:
        sources = tuple(map(_validate, _read_sources(path, skill)))
    except OSError as error:
        raise BadInput(f"{error.filename or path}: {error.strerror or error}; pass a tasks file") from None
    try:
        with limit_time(SECONDS):
            tasks = tuple(
                task
                for source in sources
                for n in range(len(source.value["tasks"]))
                for task in _build_tasks(source, n)
            )
    except TimeoutError as error:
        raise BadInput(f"{path}: the tasks cannot be read: {error}; use fewer and shorter patterns") from None
    if not tasks:
        raise BadInput(f"{path}: no tasks found; write one, or let a model draft some with {draft}")
    if len(tasks) > _MAX_TASKS:
        raise BadInput(f"{path}: {len(tasks)} tasks, but a trial allows at most {_MAX_TASKS}; remove some")
    names = [task.name for task in tasks]
    for task in tasks:
        if names.count(task.name) > 1:
            raise BadInput(f"{task.where}: duplicate task name {task.name}; give each task its own name")
    return tasks


def hash_tasks(tasks: tuple[Task, ...]) -> str:
    """Return the digest of the complete content of tasks."""
    parts = [(t.name, t.prompt, [(c.kind, c.argument, dict(c.options)) for c in t.checks], t.files, t.tools, t.network,
              t.seconds, t.max_turns, t.stage, t.fixture) for t in tasks]  # fmt: skip
    return hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()


def _find_tasks(skill: Path, draft: str) -> Path:
    for name in _TASK_FILES:
        if (skill / name).is_file():
            return skill / name
    if any(find_cases(skill / "evals")):
        return skill / "evals"
    raise BadInput(
        f"{skill}: no tasks in evals/ (tasks.yaml, evals.json, NAME/case.yaml); pass a tasks file, or let a model "
        f"draft some with {draft}"
    )


def find_cases(folder: Path) -> Iterator[Path]:
    """Yield the case.yaml of each case of `claude plugin eval` in a folder, or its prompt.md if it has none."""
    for marker in sorted({*folder.glob("**/case.yaml"), *folder.glob("**/prompt.md")}):
        if marker.name == "case.yaml" or not marker.with_name("case.yaml").exists():
            yield marker


def _read_sources(path: Path, skill: Path) -> Iterator[Source]:
    if path.is_dir():
        cases = tuple(find_cases(path))
        if not cases:
            raise BadInput(f"{path}: no case.yaml or prompt.md below it; pass a tasks file")
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
    """Raise BadInput if a text in the value cannot be passed to a program."""
    if isinstance(value, str):
        if "\0" in value or _SURROGATE.search(value):
            raise BadInput(f"{source.locate(pointer)}: the text contains a NUL or an unpaired surrogate; remove it")
    elif isinstance(value, (dict, list)):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            ensure_texts(source, key, pointer)
            ensure_texts(source, child, f"{pointer}/{key}")


def _build_tasks(source: Source, number: int) -> Iterator[Task]:
    """Yield a task once for each of its scripted users, or once if it has none."""
    value, pointer = source.value["tasks"][number], f"/tasks/{number}"
    name = value.get("name") or f"task-{number + 1}"
    for user in list_users(value):
        yield _build_task(source, pointer, value, f"{name}-{user}" if user else name, user)


def _build_task(source: Source, pointer: str, value: Mapping[str, Any], name: str, user: str) -> Task:
    where = source.locate(pointer)
    if not _VALID_NAME.fullmatch(name):
        raise BadInput(f"{where}: invalid name {name!r}; use at most 60 letters, digits, - _ .")
    checks = tuple(_build_check(source, check, f"{pointer}/checks/{n}") for n, check in enumerate(value["checks"]))
    options = {key: value[key] for key in ("network", "seconds", "max_turns") if key in value}
    if "tools" in value:
        options["tools"] = tuple(_build_rules(value["tools"]))
    files = (*read_files(source, value.get("files", ()), pointer), *read_project(source, value, pointer))
    ensure_separate(source, (path for path, _ in files), f"{pointer}/project")
    options |= {"stage": _build_stage(source, value, pointer, user), "fixture": build_fixture(value)}
    return Task(name, value["prompt"], checks, where, files, **options)


def _build_stage(source: Source, value: Mapping[str, Any], pointer: str, user: str) -> Stage:
    """Build the stage of a task. Raises BadInput for an unknown stub without a script, and for an invalid pattern."""
    stage = build_stage(value, user)
    for number, stub in enumerate(stage.stubs):
        where = source.locate(f"{pointer}/stubs/{number}")
        if (stub.name in BUILT_IN_STUBS) == bool(stub.script):
            what = "has a built-in stub; specify its `state`" if stub.script else "needs a `script`"
            raise BadInput(f"{where}: {stub.name} {what} (built-in stubs: {', '.join(BUILT_IN_STUBS)})")
        if stub.name == "git":
            _ensure_remotes(stub, where)
    try:
        patterns = [rule.when for rule in stage.user]
        for pattern in (*patterns, (value.get("fixture") or {}).get("claim", "")):
            compile_regex(pattern)
    except ValueError as error:
        raise BadInput(f"{source.locate(pointer)}: {error}; correct it") from None
    return stage


def _ensure_remotes(stub: Stub, where: str) -> None:
    try:
        list_remotes(stub, Path("/"))
    except Refused as error:
        raise BadInput(f"{where}: {error}") from None


def _build_check(source: Source, value: Mapping[str, Any], pointer: str) -> Check:
    kinds = [kind for kind in CHECK_KINDS if kind in value]
    if len(kinds) != 1:
        problem = f"has {', '.join(kinds)}; split the check" if kinds else "has none; add one"
        needs = f"a check needs exactly one of {', '.join(CHECK_KINDS)}"
        raise BadInput(f"{source.locate(pointer)}: {needs}, but {problem}")
    kind = kinds[0]
    options = {key: option for key, option in value.items() if key != kind}
    try:
        _ensure_compiles(kind, value)
    except ValueError as error:
        raise BadInput(f"{source.locate(pointer)}: {error}; correct it") from None
    text = value["file"] if kind == "file" else value.get("in", "answer")
    if text not in ("answer", "trace", "calls") and not text.startswith(STUB_PREFIX):
        ensure_inside(source, text, pointer)
    return Check(kind, value[kind], options)


def _ensure_compiles(kind: str, value: Mapping[str, Any]) -> None:
    if kind == "regex":
        compile_regex(value["regex"], value.get("flags", ""))
    elif kind == "schema":
        ensure_schema(value["schema"])
    elif kind == "tool":
        compile_regex(value.get("input", ""))


def _build_rules(tools: list[str]) -> Iterator[str]:
    """Yield the permission rules for tools. Tools that write files are limited to the project."""
    for tool in tools:
        if tool in _WRITE_TOOLS:
            yield f"{tool}(./**)"
        elif tool not in READ_TOOLS:
            yield tool
