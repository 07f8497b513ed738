"""Gives a loop that waits or tries again a limit, and says what happens when it is reached."""

import re

from actions.facts.agents.loops import CodeLoop, ProseLoop, code_loops, endless_sentences
from actions.skill import Case, SkillFile
from actions.skill.code import LOOPS
from actions.skill.text import is_chinese
from actions.strategies.edits import Edit, edit, indent_of
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("bound_loop", mends=("AGT-008",), risk=Risk.LOW)

BEFORE = (
    """# Build

```javascript
let green = false
while (!green) {
  Task({ subagent_type: "general-purpose", prompt: `Mend the first broken test in ${module}.` })
  green = Bash("npm test").exitCode === 0
}
```

If the agent fails, report it.
""",
    """# Export

```python
while True:
    state = Read("export/status.json")
    if state["ready"]:
        break
    Bash("sleep 20")
```
""",
    """# Release

1. Tag the commit.
2. Re-run the pipeline until it is green.
3. Publish.
""",
    """# 部署

部署之后不断轮询健康检查接口，直到返回成功。

然后通知频道。
""",
    """# Serve

```bash
npm start &
until curl -sf localhost:8080/health; do
  sleep 2
done
```
""",
    "# Serve\n\nEnter a run-fix loop until no startup errors:\n\n1. Run the server\n2. Mend what it says\n",
)

AFTER = (
    """# Build

```javascript
let green = false
let attempts = 0
while (!green) {
  if (++attempts > 3) throw new Error("No success after 3 attempts: report what still fails")
  Task({ subagent_type: "general-purpose", prompt: `Mend the first broken test in ${module}.` })
  green = Bash("npm test").exitCode === 0
}
```

If the agent fails, report it.
""",
    """# Export

```python
attempts = 0
while True:
    attempts += 1
    if attempts > 10:
        raise TimeoutError("No success after 10 attempts: report what still fails")
    state = Read("export/status.json")
    if state["ready"]:
        break
    Bash("sleep 20")
```
""",
    """# Release

1. Tag the commit.
2. Re-run the pipeline until it is green. Stop after 3 attempts and report what still fails.
3. Publish.
""",
    """# 部署

部署之后不断轮询健康检查接口，直到返回成功。最多尝试 10 次，仍未成功则停止并说明原因。

然后通知频道。
""",
    """# Serve

```bash
npm start &
attempts=0
until curl -sf localhost:8080/health; do
  (( ++attempts < 30 )) || { echo "no success after 30 attempts" >&2; exit 1; }
  sleep 2
done
```
""",
    "# Serve\n\nEnter a run-fix loop until no startup errors (3 attempts at most; then report what still fails):\n\n1. Run the server\n2. Mend what it says\n",
)

_TRIES, _LOOKS, _SHELL_LOOKS = 3, 10, 30
_POLLS = re.compile(r"poll|check|look|ping|wait|sleep|轮询|检查|等待", re.IGNORECASE)
_LANGUAGES = frozenset(
    " js javascript ts typescript jsx tsx py python bash sh shell zsh console text pseudo".split(" ")
)
_PYTHON = frozenset({"python", "py"})
_END = re.compile(r"[.!?。！？]+$")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Bound the loop or the sentence that stands where the issue says."""
    file = case.skill.by_path.get(issue.location.file)
    line = issue.location.line_start
    if file is None or line is None:
        return None
    loop = next((x for x in code_loops(file, case.skill) if x.block.start == line), None)
    sentence = next((x for x in endless_sentences(file) if x.line == line), None)
    if loop is not None and not loop.bounded:
        return _draft(file, _in_code(file, loop))
    return _draft(file, _in_prose(file, sentence)) if sentence is not None else None


def _draft(file: SkillFile, edits: list[Edit]) -> Draft | None:
    if not edits:
        return None
    old = tuple(file.doc.line(n) for e in edits for n in range(e.start, e.end + 1))
    return Draft(
        writes={file.path: edit(file, edits)},
        description="Gives the loop a limit and says what happens when it is reached.",
        rationale="Without a limit a run goes on until its context or its budget is used up.",
        impact="The run ends with a report instead of hanging.",
        token_limit=60,
        rewrites=old,
    )


def _in_code(file: SkillFile, loop: CodeLoop) -> list[Edit]:
    start = loop.block.start
    head, body = file.doc.line(start), file.doc.line(start + 1)
    opened = head.rstrip().endswith(("{", ":", "do"))
    known = loop.block.kind in LOOPS and loop.fence.lang in _LANGUAGES
    if not known or not opened or start >= loop.block.end or "attempts" in loop.fence.text or not body.strip():
        return []
    outer, inner = indent_of(head), indent_of(body)
    if loop.in_shell:
        guard = (
            f'(( ++attempts < {_SHELL_LOOKS} )) || {{ echo "no success after {_SHELL_LOOKS} attempts" >&2; exit 1; }}'
        )
        return _around(start, f"{outer}attempts=0", [inner + guard]) if loop.fence.lang == "bash" else []
    most = _LOOKS if loop.sleeps else _TRIES
    told = f'"No success after {most} attempts: report what still fails"'
    if head.rstrip().endswith(":") or loop.fence.lang in _PYTHON:
        step = inner[len(outer) :] or "    "
        check = [f"{inner}attempts += 1", f"{inner}if attempts > {most}:", f"{inner}{step}raise TimeoutError({told})"]
        return _around(start, f"{outer}attempts = 0", check)
    end = ";" if body.rstrip().endswith(";") else ""
    guard = f"{inner}if (++attempts > {most}) throw new Error({told}){end}"
    return _around(start, f"{outer}let attempts = 0{end}", [guard])


def _around(start: int, counter: str, guard: list[str]) -> list[Edit]:
    return [Edit(start, start - 1, [counter]), Edit(start + 1, start, guard)]


def _in_prose(file: SkillFile, sentence: ProseLoop) -> list[Edit]:
    line = file.doc.line(sentence.line)
    text = line[sentence.start : sentence.end]
    kept = text.rstrip()
    if re.search(r"forever|indefinitely|endlessly|without|as (?:many|often|long)|无限", kept, re.IGNORECASE):
        return []
    most = _LOOKS if _POLLS.search(kept) else _TRIES
    if is_chinese(kept):
        bound, stop, brackets = f"最多尝试 {most} 次，仍未成功则停止并说明原因", "。", "（）"
    else:
        bound, stop, brackets = f"Stop after {most} attempts and report what still fails", ".", "()"
    if kept.endswith((":", "：")):
        said = bound if stop == "。" else f"{most} attempts at most; then report what still fails"
        kept = f"{kept[:-1]}{' ' if stop == '.' else ''}{brackets[0]}{said}{brackets[1]}{kept[-1]}"
    else:
        ended = _END.search(kept)
        gap = " " if stop == "." else ""
        kept = f"{kept}{'' if ended else stop}{gap}{bound}{stop if ended else ''}"
    rest = text[len(text.rstrip()) :] + line[sentence.end :]
    return [Edit(sentence.line, sentence.line, [line[: sentence.start] + kept + rest])]
