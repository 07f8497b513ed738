"""Provide fakes: patterns that report a word, strategies that rewrite its line, and a listener that records calls."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace

from msgspec.structs import replace

from actions.case import Case
from actions.fixes.strategies import Draft, Strategy
from actions.patterns.pattern import Finding, Pattern, get_check
from actions.scoring.issues import make_issues
from actions.scoring.scan import Scan, scan
from actions.skill import parse_skill
from actions.steps.outcome import AskClarification, AskSelection, Tools
from orchestrator.guard.sessions import consent
from orchestrator.run.run import Run
from orchestrator.run.store import StateStore
from orchestrator.run.workspace.workspace import Workspace
from schemas.issues import SeverityCounts, Tokens
from schemas.options import Options
from schemas.records import Round, State, TargetSkill
from schemas.vocabulary import Family, Gate, Phase, Risk, Status

_ROOT = Path(__file__).parents[1]
for _source in (file for package in ("actions", "orchestrator") for file in (_ROOT / package).rglob("*.py")):
    # later imports would bypass `install`; the tests of the language server load it themselves
    if "lsp" not in _source.parts and re.search("import .*all_(?:patterns|strategies)", _source.read_text()):
        import_module(".".join(_source.relative_to(_ROOT).with_suffix("").parts).removesuffix(".__init__"))
PATTERN_PAGE = "{title}.\n\nIt is:\n- {title}.\n\nIt is not:\n- another word.\n\nWhy it is bad: It does harm.\n\nInstead: Fix it.\n"
SKILL_HEADER = (
    "---\nname: plover\ndescription: Counts birds on a shore. Use when birds are to be counted.\n---\n\n# Plover\n\n"
)
Rewrite = Callable[[str, Case], str | Mapping[str, str | None] | None]
NOW = "2026-03-01T09:30:00.000Z"


def make_pattern(
    id: str,
    word: str,
    *strategies: str,
    family: Family = Family.AGENT,
    impact: tuple[str, ...] = ("loses", "every_run"),
    cause: str = "",
) -> SimpleNamespace:
    """Return a pattern that reports each line of the instructions that contains `word`. By default it is of high severity."""

    def check(case: Case) -> Iterator[Finding]:
        for file in case.skill.instructions:
            for number, line in enumerate(file.doc.lines, 1):
                if word in line:
                    yield Finding(file.path, number, f"This line says {word}.")

    pattern = Pattern(id, impact, strategies, cause, other_family=family)
    return SimpleNamespace(
        PATTERN=pattern,
        BAD=("bad",),
        GOOD=("good",),
        check=check,
        __doc__=PATTERN_PAGE.format(title=word),
        __name__=f"fake.{id}",
    )


def make_model_pattern(id: str, title: str, *strategies: str, family: Family = Family.CONTEXT) -> SimpleNamespace:
    """Return a pattern that only a model can find."""
    pattern = Pattern(id, ("loses", "every_run"), strategies, other_family=family)
    return SimpleNamespace(
        PATTERN=pattern, BAD=("bad",), GOOD=("good",), __doc__=PATTERN_PAGE.format(title=title), __name__=f"fake.{id}"
    )


def make_strategy(
    name: str,
    rewrite: Rewrite,
    *,
    risk: Risk = Risk.LOW,
    fixes: tuple[str, ...] = (),
    tokens: int = 1000,
    honest: bool = True,
) -> SimpleNamespace:
    """Return a strategy that fixes the line of an issue.

    `rewrite` returns the new line, or whole files by path, or None for no fix. If `honest`, the draft declares that it
    rewrites the old line.
    """

    def propose(issue, case: Case) -> Draft | None:
        file = case.skill.by_path[issue.location.file]
        line = file.doc.line(issue.location.line_start)
        new = rewrite(line, case)
        if new is None:
            return None
        texts = {file.path: file.text.replace(line, new, 1)} if isinstance(new, str) else new
        writes = {path: None if text is None else text.encode() for path, text in texts.items()}
        rewrites = (line,) if honest else ()
        return Draft(writes, f"Does {name}.", "It is better so.", "Less harm.", tokens, rewrites=rewrites)

    return SimpleNamespace(
        STRATEGY=Strategy(name, fixes, risk),
        BEFORE=({},),
        AFTER=({},),
        propose=propose,
        __doc__=f"{name}.\n\nIt fixes a fault.",
    )


def install_catalogue(monkeypatch, patterns, strategies) -> None:
    """Replace the whole catalogue, in every module that imported it.

    A module that is imported meanwhile keeps a replaced function, which calls the original one after the test.
    """
    by_id = {p.PATTERN.id: p for p in sorted(patterns, key=lambda p: p.PATTERN.id)}
    by_name = {s.STRATEGY.name: s for s in strategies}
    text_patterns = [pattern for id, pattern in by_id.items() if not id.startswith("SES-")]
    checked = tuple(pattern for pattern in text_patterns if get_check(pattern))
    read = tuple(pattern.PATTERN for pattern in text_patterns if not get_check(pattern))
    results = {
        "get_patterns": by_id,
        "get_strategies": by_name,
        "list_checked_patterns": checked,
        "list_read_patterns": read,
    }
    for name, result in results.items():
        monkeypatch.setitem(_INSTALLED, name, result)
    for module, name in find_catalogue_functions(len(sys.modules), *results):
        monkeypatch.setattr(module, name, _replace_catalogue_function(name, vars(module)[name]))


_INSTALLED: dict[str, object] = {}
"""The result of each replaced function, by its name."""


def _replace_catalogue_function(name: str, original: Callable[..., object]) -> Callable[..., object]:
    return lambda *arguments: _INSTALLED[name] if name in _INSTALLED else original(*arguments)


@lru_cache(maxsize=1)
def find_catalogue_functions(module_count: int, *names: str) -> list[tuple[ModuleType, str]]:
    """Return (module, name) of each imported catalogue function. module_count: the number of modules, as a cache key."""
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] in ("actions", "orchestrator")]
    return [(module, name) for module in modules for name in names if name in vars(module)]


def list_unused_messages(result: Scan) -> list[str]:
    """Return the message about each unused suppression."""
    return [suppression.message for suppression in result.unused]


def replace_word(word: str, new: str) -> Rewrite:
    """Return a function that replaces a word in a line."""
    return lambda line, case: line.replace(word, new)


def install_word_catalogue(monkeypatch) -> None:
    """Install a catalogue of five patterns; each reports one word. The word determines what happens to the fix.

    The fixes of FIXABLE (low risk) and RISKY (medium risk) succeed. The fix of LOSSY loses a rule and fails in rehearsal.
    The fix of UNREAD needs a file that is never read back, so it fails after it is written. NOFIX has no strategy.
    """
    install_catalogue(
        monkeypatch,
        [
            make_pattern("AGT-001", "FIXABLE", "correct_fixable"),
            make_pattern("CTX-001", "RISKY", "correct_risky", family=Family.CONTEXT),
            make_pattern("MEM-001", "LOSSY", "drop_lossy", family=Family.MEMORY),
            make_pattern("TKN-001", "UNREAD", "hide_unread", family=Family.TOKENS),
            make_pattern("DF-001", "NOFIX", family=Family.DATAFLOW),
        ],
        [
            make_strategy("correct_fixable", replace_word("FIXABLE", "fixable")),
            make_strategy("correct_risky", replace_word("RISKY", "risky"), risk=Risk.MEDIUM),
            make_strategy("drop_lossy", lambda line, case: "Nothing.", honest=False),
            make_strategy("hide_unread", _link_to_unread_folder),
        ],
    )


def _link_to_unread_folder(line: str, case: Case) -> dict[str, str | None]:
    """Replace a line by a link into a folder that is never read. The link is valid in memory, but not on disk."""
    text = case.skill.main.text.replace(line, "See [the unread](node_modules/unread.md).")
    return {"SKILL.md": text, "node_modules/unread.md": "\n"}


def add_large_references(folder: Path) -> Path:
    """Add three large references to a skill, so that a judge reads it in parts; return its folder."""
    for name in "abc":
        path = folder / "references" / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# Shore {name}\n\n" + "".join(f"Fill pond {n} of shore {name}.\n" for n in range(700)))
    return folder


def write_skill(folder: Path, body: str = "Count each FIXABLE on the shore.\n", **files: str | bytes) -> Path:
    """Write a skill and return its folder; the keyword `one__two` is the file `one/two.md`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(body if body.startswith("---") else SKILL_HEADER + body, encoding="utf-8")
    for name, data in files.items():
        path = folder / (name.replace("__", "/") + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    return folder


def make_case(body: str, **files: str) -> Case:
    """Return the case of a skill in memory; the keyword `one__two` is the file `one/two.md`."""
    texts = {"SKILL.md": SKILL_HEADER + body, **{name.replace("__", "/") + ".md": text for name, text in files.items()}}
    return Case(parse_skill("plover", {path: text.encode() for path, text in texts.items()}))


def make_tools(*, can_ask: bool = False) -> Tools:
    """Return the tools of a run with a clock that does not advance."""
    return Tools(lambda: NOW, lambda: 0.0, can_ask)


def make_round(number: int = 1, **fields: object) -> Round:
    """Return the record of a round."""
    return replace(Round(number, 100, Gate.PASS, SeverityCounts(), Tokens(), measured=True), **fields)


def make_diagnosed_state(case: Case, **fields: object) -> State:
    """Return the state of a run whose first round is diagnosed and measured."""
    state = State(
        run_id="r-1",
        phase=Phase.VERIFY,
        status=Status.RUNNING,
        target_skill=TargetSkill("plover", "/s/plover", files={f.path: f.sha256 for f in case.skill.files}),
        issues=make_issues(scan(case)),
        options=Options(apply="all", judge="none"),
        iteration_count=1,
        rounds=(make_round(),),
    )
    return replace(state, **fields)


@dataclass
class Listener:
    """A listener that records its calls, and answers and chooses as configured; None pauses the run."""

    can_ask: bool = False
    picks_findings: bool = False
    answers: Mapping[str, str] | None = None
    choice: tuple[str, ...] | None = None
    messages: list[str] = field(default_factory=list)
    steps: list[tuple[str, str]] = field(default_factory=list)
    questions: list[object] = field(default_factory=list)

    def begin(self, state: State, action: str) -> None:
        pass

    def step(self, state: State, action: str, note: str) -> None:
        self.steps.append((action, note))

    def say(self, sentence: str) -> None:
        self.messages.append(sentence)

    def clarify(self, question: AskClarification) -> Mapping[str, str] | None:
        self.questions.append(question)
        return self.answers

    def select(self, question: AskSelection, save: Callable[[str, bool], None]) -> tuple[str, ...] | None:
        self.questions.append(question)
        return self.choice

    def begin_write(self) -> None:
        pass


def write_config(project: Path, **values: object) -> None:
    """Write the configuration of a project, with the user's consent, as `config set` does."""
    hooks = {f"hooks.{key}": value for key, value in dict(values.get("hooks", {})).items()}
    consent.give_consent(project, hooks)
    (project / ".maceff").mkdir(exist_ok=True)
    (project / ".maceff" / "config.json").write_text(json.dumps({"schema_version": 1, **values}))


def start_run(skill: Path, work: Path, listener: Listener | None = None, **fields: object) -> Run:
    """Start a run as the command does, until it ends or pauses; `apply`, `yes` and `deep` are options of the command."""
    options = {name: fields.pop(name) for name in ("apply", "yes", "deep") if name in fields}
    workspace = Workspace(skill, work)
    state = State(
        run_id=work.name,
        target_skill=TargetSkill(path=str(workspace.root)),
        options=Options(**{"sessions": "none", "judge": "none", **options}),
        work_dir=str(workspace.work_dir),
    )
    run = Run(StateStore(work), workspace, listener or Listener())
    with workspace.hold(state.run_id):
        run.store.create(replace(state, **fields))
        run.drive()
    return run


def resume_run(work: Path, listener: Listener | None = None) -> Run:
    """Continue a run as `resume` does in a new process."""
    run = Run.open(work, listener or Listener())
    with run.hold():
        run.drive()
    return run
