"""Read the prompts of a trigger test in four formats: ours, skill-creator's, waza's, and cases of `claude plugin eval`.

All are converted to the format of `prompts.schema.json`. Errors are reported with the line in the source file.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from actions.trigger.prompts import Prompt
from orchestrator.errors import BadInput
from orchestrator.tuning.trial.formats import PluginEvalCase, Source, ensure_valid, parse_case, parse_file
from orchestrator.tuning.trial.task_files import read_files
from orchestrator.tuning.trial.tasks import ensure_texts, find_cases

_MAX_PROMPTS = 300


def read_prompts(path: Path, targets: Sequence[str]) -> tuple[tuple[Prompt, ...], list[str]]:
    """Return the prompts in a file or a folder, and notes on entries that were left out.

    targets: the full names of the measured skills. A format without skill names needs exactly one target. Raises
    BadInput if the prompts are invalid.
    """
    try:
        sources, notes = _read_sources(path, targets)
    except OSError as error:
        raise BadInput(f"{error.filename or path}: {error.strerror or error}; pass a file with prompts") from None
    found: list[Prompt] = []
    for source in sources:
        ensure_valid(source, "prompts")
        ensure_texts(source, source.value, "")
        count = len(source.value["prompts"])
        found += [_build_prompt(source, index, len(found) + index + 1) for index in range(count)]
    if len(found) > _MAX_PROMPTS:
        raise BadInput(f"{path}: {len(found)} prompts, but at most {_MAX_PROMPTS} are measured; remove some")
    return tuple(found), notes


def _build_prompt(source: Source, index: int, number: int) -> Prompt:
    """Build a prompt. index: its index in the source. number: its number among all prompts, for its name."""
    value, pointer = source.value["prompts"][index], f"/prompts/{index}"
    accepted = tuple(dict.fromkeys((value["expect"], *value.get("accept", ()))))
    refused = tuple(dict.fromkeys(value.get("refuse", ())))
    if refused and accepted != (None,):
        raise BadInput(f"{source.locate(pointer)}: `refuse` needs `expect: null` and no `accept`; correct one of them")
    files = read_files(source, value.get("files", ()), pointer)
    return Prompt(f"prompt-{number:03}", value["prompt"].strip(), accepted, source.locate(pointer), files, refused)


def _convert_prompt(prompt: str, target: str, is_expected: bool) -> dict[str, Any]:
    """Return a prompt in our format that expects the skill `target`, or expects that it is not called."""
    if is_expected:
        return {"prompt": prompt, "expect": target}
    return {"prompt": prompt, "expect": None, "refuse": [target]}


def _read_sources(path: Path, targets: Sequence[str]) -> tuple[list[Source], list[str]]:
    if path.is_dir() or path.name in ("case.yaml", "prompt.md"):
        return _read_cases(path, targets)
    value, lines = parse_file(path)
    if isinstance(value, list):
        return [_convert_queries(Source(path, value, path.parent, lines), targets)], []
    if isinstance(value, dict) and "prompts" in value:
        return [Source(path, value, path.parent, lines)], []
    if isinstance(value, dict) and ("should_trigger_prompts" in value or "should_not_trigger_prompts" in value):
        return [_convert_trigger_tests(Source(path, value, path.parent, lines), targets)], []
    raise BadInput(
        f"{path}:1: unknown format; write `prompts:` as docs/trigger.md shows, or pass skill-creator's queries, waza's "
        "trigger_tests.yaml, or a folder of plugin-eval cases"
    )


def _convert_queries(source: Source, targets: Sequence[str]) -> Source:
    ensure_valid(source, "queries")
    target = _get_only_target(source, targets, "has only true and false")
    prompts = [_convert_prompt(query["query"], target, query["should_trigger"]) for query in source.value]
    moved = {f"/prompts/{n}": f"/{n}" for n in range(len(prompts))}
    return Source(source.path, {"prompts": prompts}, source.root, source.lines, moved)


def _get_only_target(source: Source, targets: Sequence[str], why: str) -> str:
    if len(targets) == 1:
        return targets[0]
    raise BadInput(f"{source.path}: this format {why}, so it fits one skill, not {len(targets)}; name one skill")


def _convert_trigger_tests(source: Source, targets: Sequence[str]) -> Source:
    ensure_valid(source, "trigger_tests")
    skill_name = source.value["skill"]
    target = next((name for name in targets if skill_name in (name, name.rpartition(":")[2])), None)
    if target is None:
        raise BadInput(f"{source.locate('/skill')}: these prompts are for the skill {skill_name}; name that skill")
    prompts: list[dict[str, Any]] = []
    moved = {}
    for key, is_expected in (("should_trigger_prompts", True), ("should_not_trigger_prompts", False)):
        for number, test in enumerate(source.value.get(key) or ()):
            moved[f"/prompts/{len(prompts)}"] = f"/{key}/{number}"
            prompts.append(_convert_prompt(test["prompt"], target, is_expected))
    return Source(source.path, {"prompts": prompts}, source.root, source.lines, moved)


def _read_cases(path: Path, targets: Sequence[str]) -> tuple[list[Source], list[str]]:
    """Return the cases with a grader that checks for calls of the tool Skill, and a note on the other cases."""
    markers = list(find_cases(path)) if path.is_dir() else [path]
    if not markers:
        raise BadInput(f"{path}: no case.yaml or prompt.md below it; pass a file with prompts")
    expectations = [(case, [*_find_expected(case, targets)]) for case in map(parse_case, markers)]
    sources = [
        Source(
            case.path,
            {"prompts": [{"prompt": case.execution["prompt"], **found[0]}]},
            case.path.parent,
            case.lines,
            {"/prompts/0": ""},
        )
        for case, found in expectations
        if found
    ]
    if not sources:
        raise BadInput(f"{path}: no case has a grader with `tool: Skill`; add one that names the expected skill")
    left_out = len(markers) - len(sources)
    if not left_out:
        return sources, []
    return sources, [f"{left_out} of {len(markers)} cases have no grader with `tool: Skill` and were left out"]


def _find_expected(case: PluginEvalCase, targets: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield what each grader for the tool Skill expects: a skill, no skill, or any skill except one."""
    for number, grader in enumerate(case.graders):
        if grader.get("type") == "tool_used" and grader.get("tool") == "Skill":
            is_refused = grader.get("max") == 0
            if is_refused and "input_match" not in grader:
                yield {"expect": None}
            else:
                target = _find_target(case, grader, number, targets)
                yield {"expect": None, "refuse": [target]} if is_refused else {"expect": target}


def _find_target(case: PluginEvalCase, grader: Mapping[str, Any], number: int, targets: Sequence[str]) -> str:
    pattern = grader.get("input_match", "")
    matching = [name for name in targets if not pattern or _matches(pattern, name)]
    if len(matching) == 1:
        return matching[0]
    where = Source(case.path, {}, case.path.parent, case.lines).locate(f"/graders/{number}")
    raise BadInput(f"{where}: the grader matches {len(matching)} of the measured skills; name one in its input_match")


def _matches(pattern: str, name: str) -> bool:
    words = [word for word in re.split(r"[^\w:-]+", pattern) if word]
    return name in words or name.rpartition(":")[2] in words
