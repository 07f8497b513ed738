"""Lets a key have one value, where it is certain which: what a script does, what a spec says, what most places say.

Of two places, neither of them certain, that of more authority is offered, with both named. Two places of equal authority
are left to the author. A skill that calls itself by a wrong name gets its own, and a slip in
a script's option is spelled as the script spells it.
"""

import re

from actions.example import Example
from actions.facts.docs.authority import AUTHORITY
from actions.facts.docs.disputes import Dispute, disputes
from actions.facts.docs.options import UnknownOption, is_flag, unknown_options
from actions.facts.docs.settings import Setting
from actions.facts.references.candidates import alike
from actions.facts.spec.skill_name import misnamed, own_name
from actions.skill import Case, Role, Skill
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Confidence, Risk

STRATEGY = Strategy("reconcile_conflicting_definitions", ("DOC-CON-001", "DOC-CON-002"), Risk.MEDIUM)
_EDGES = "|│┃"


def propose(issue: Issue, case: Case) -> Draft | None:
    """Write the value that holds, or the skill's name at every wrong call; None where either value may be meant."""
    place = (issue.location.file, issue.location.line_start)
    if issue.pattern == "DOC-CON-002":
        return _option(case.skill, place)
    dispute = next((d for d in disputes(case.skill) if (d.odd.file, d.odd.line) == place), None)
    if dispute is not None:
        return _certain(case.skill, dispute) or _ranked(case.skill, dispute)
    return _name(case.skill) if any((w.file, w.line) == place for w in misnamed(case.skill)) else None


def _certain(skill: Skill, dispute: Dispute) -> Draft | None:
    odd, usual = dispute.odd, dispute.usual
    roles = skill.by_path[odd.file].role, skill.by_path[usual.file].role
    holds = roles[1] in (Role.SCRIPT, Role.SPEC) or dispute.usuals > 1
    if dispute.odds != 1 or roles[0] in (Role.SCRIPT, Role.SPEC) or not holds or not _can_take(odd, usual):
        return None
    return _value(
        skill,
        odd,
        usual,
        f"Set {usual.amount} in {odd.file}:{odd.line}, as {usual.file}:{usual.line} does.",
        "The key had two values, and the other one is what runs, what the spec says, or what most places say.",
    )


def _ranked(skill: Skill, dispute: Dispute) -> Draft | None:
    """Offer the value of the place of more authority, and name both: the user, or `--apply all`, takes it."""
    low, high = sorted((dispute.odd, dispute.usual), key=lambda s: -AUTHORITY.get(skill.by_path[s.file].role, -1))
    ranks = [AUTHORITY.get(skill.by_path[s.file].role) for s in (low, high)]
    if None in ranks or ranks[0] == ranks[1] or (dispute.odds, dispute.usuals) != (1, 1) or not _can_take(low, high):
        return None
    return _value(
        skill,
        low,
        high,
        f"Two candidates: {high.amount} ({high.file}:{high.line}) and {low.amount} ({low.file}:{low.line});"
        f" sets {high.amount} in both.",
        "Either may be meant. A spec goes before a phase, a phase before SKILL.md, that before a reference; unasked, only"
        " `--apply all` takes it.",
    )


def _can_take(odd: Setting, usual: Setting) -> bool:
    return odd.column >= 0 and _unit(odd.amount) == _unit(usual.amount)


def _unit(amount: str) -> str:
    return "".join(char for char in amount if not char.isdigit() and char not in "., ")


def _value(skill: Skill, odd: Setting, usual: Setting, told: str, why: str) -> Draft:
    file = skill.by_path[odd.file]
    old = file.doc.line(odd.line)
    new = old[: odd.column] + usual.amount + old[odd.column + len(odd.amount) :]
    return Draft(
        writes={file.path: edit(file, [Edit(odd.line, odd.line, [new])])},
        description=told,
        rationale=why,
        impact="Every reader takes the same value.",
        token_limit=4,
        rewrites=(old,),
        confidence=Confidence.MEDIUM,
    )


def _option(skill: Skill, place: tuple[str, int | None]) -> Draft | None:
    """Write the option that is spelled nearly so, or the flag that is called as the unknown option's value is."""
    unknown = [u for u in unknown_options(skill) if (u.file, u.line) == place]
    if len(unknown) != 1:
        return None
    script, option = unknown[0].script, unknown[0].option
    meant = [known for known in unknown[0].known if alike(known, option)]
    if len(meant) == 1:
        why = f"{script} defines no other option that is spelled nearly so."
        return _renamed_option(skill, unknown[0], option, meant[0], why)
    given = re.search(
        rf"{re.escape(option)}[ =]([a-z][\w-]*)", skill.by_path[unknown[0].file].doc.line(unknown[0].line)
    )
    flag = f"--{given[1]}" if given and not meant else ""
    if not is_flag(skill.by_path[script], flag):
        return None
    why = f"{script} has no such option; it has a flag of the value's name."
    return _renamed_option(skill, unknown[0], f"{option} {flag[2:]}", flag, why)


def _renamed_option(skill: Skill, unknown: UnknownOption, old: str, new: str, why: str) -> Draft:
    file = skill.by_path[unknown.file]
    slip = re.compile(rf"(?<![\w-]){'[ =]'.join(map(re.escape, old.split()))}(?![\w-])")
    lines = {n: line for n, line in enumerate(file.doc.lines, 1) if unknown.option in line and slip.search(line)}
    return Draft(
        writes={file.path: edit(file, [Edit(n, n, [slip.sub(new, line)]) for n, line in lines.items()])},
        description=f"Write `{new}` for `{old}` in {file.path}.",
        rationale=why,
        impact="The script runs as the text calls it.",
        token_limit=2 * len(lines),
        rewrites=tuple(lines.values()),
    )


def _name(skill: Skill) -> Draft:
    real = own_name(skill)
    writes: dict[str, bytes | None] = {}
    dropped: list[str] = []
    wrong = misnamed(skill)
    for path in sorted({w.file for w in wrong}):
        file = skill.by_path[path]
        lines = {w.line: file.doc.line(w.line) for w in wrong if w.file == path}
        dropped += lines.values()
        for w in (w for w in wrong if w.file == path):
            lines[w.line] = _renamed(lines[w.line], w.name, real)
        writes[path] = edit(file, [Edit(n, n, [line]) for n, line in lines.items()])
    return Draft(
        writes=writes,
        description=f"Call the skill `{real}` wherever it calls itself `{wrong[0].name}`.",
        rationale="The name in the frontmatter is the one that calls the skill.",
        impact="The call finds the skill.",
        token_limit=3 * len(wrong),
        rewrites=tuple(dropped),
    )


def _renamed(line: str, name: str, real: str) -> str:
    """Give the line with the name replaced behind a quote, slash or colon; a box drawn around it keeps its width."""
    for mark in "\"'/:":
        head, found, tail = line.partition(mark + name)
        if found and not (tail[:1].isalnum() or tail[:1] in "-_"):
            more = len(real) - len(name)
            body, gap, edge = _box(tail)
            if edge and gap > more:
                tail = body + " " * (gap - more) + edge
            return head + mark + real + tail
    return line


def _box(tail: str) -> tuple[str, int, str]:
    """Give text, spaces and edge of a line's rest that ends with the edge of a box."""
    body = tail.rstrip()
    if not body or body[-1] not in _EDGES:
        return tail, 0, ""
    inner = body[:-1].rstrip()
    return inner, len(body) - 1 - len(inner), body[-1]


_FLAGS = (
    "import argparse\n\np = argparse.ArgumentParser()\np.add_argument('--out')\np.add_argument('--strict', action='store_true')\n"
    "args = p.parse_args()\n"
)
BEFORE: tuple[Example, ...] = (
    {
        "SKILL.md": "# Mend\n\nWork in rounds. **Max rounds**: 5\n\nRead `specs/limits.md`.\n",
        "specs/limits.md": "# Limits\n\n| Limit | Value |\n|---|---|\n| Max rounds | 3 |\n",
    },
    {
        "SKILL.md": "# Count\n\nRun `scripts/count.py`.\n\n- `--max-words N` stops after N words (default: 500)\n",
        "scripts/count.py": "import argparse\n\np = argparse.ArgumentParser()\np.add_argument('--max-words', type=int, default=800)\n",
    },
    "# 巡检\n\n- 最大重试次数：3\n- 逐台检查\n\n## 失败时的处理\n\n- 最大重试次数：5\n\n## 汇总\n\n- 最大重试次数：3\n",
    "# Example\n\n```\n+------------------------------+\n|  Skill(skill=\"example-v3\")   |\n+------------------------------+\n```\n\n**Invocation**: `Skill(skill='example-v3', args='x')`\n",
    {
        "SKILL.md": "# Count\n\n```bash\npython3 scripts/count.py text.md --outputfile words.json\n```\n\nThe file behind `--outputfile` is new.\n",
        "scripts/count.py": "import argparse\n\np = argparse.ArgumentParser()\np.add_argument('--output-file')\nargs = p.parse_args()\n",
    },
    {
        "SKILL.md": "# 统计\n\n```bash\npython3 scripts/count.py text.md --mode strict --out words.json\n```\n",
        "scripts/count.py": _FLAGS,
    },
    {
        "SKILL.md": "# Wait\n\nRead [build](phases/1-build.md).\n\n- Build timeout: 10 min\n",
        "phases/1-build.md": "# Build\n\n- Build timeout: 5 min\n",
    },
    {
        "SKILL.md": "# 等待\n\n详见 `references/build.md`。\n\n- 构建超时：10 分钟\n",
        "references/build.md": "# 构建\n\n- 构建超时：5 分钟\n",
    },
)
AFTER: tuple[Example, ...] = (
    {
        "SKILL.md": "# Mend\n\nWork in rounds. **Max rounds**: 3\n\nRead `specs/limits.md`.\n",
        "specs/limits.md": "# Limits\n\n| Limit | Value |\n|---|---|\n| Max rounds | 3 |\n",
    },
    {
        "SKILL.md": "# Count\n\nRun `scripts/count.py`.\n\n- `--max-words N` stops after N words (default: 800)\n",
        "scripts/count.py": "import argparse\n\np = argparse.ArgumentParser()\np.add_argument('--max-words', type=int, default=800)\n",
    },
    "# 巡检\n\n- 最大重试次数：3\n- 逐台检查\n\n## 失败时的处理\n\n- 最大重试次数：3\n\n## 汇总\n\n- 最大重试次数：3\n",
    "# Example\n\n```\n+------------------------------+\n|  Skill(skill=\"example\")      |\n+------------------------------+\n```\n\n**Invocation**: `Skill(skill='example', args='x')`\n",
    {
        "SKILL.md": "# Count\n\n```bash\npython3 scripts/count.py text.md --output-file words.json\n```\n\nThe file behind `--output-file` is new.\n",
        "scripts/count.py": "import argparse\n\np = argparse.ArgumentParser()\np.add_argument('--output-file')\nargs = p.parse_args()\n",
    },
    {
        "SKILL.md": "# 统计\n\n```bash\npython3 scripts/count.py text.md --strict --out words.json\n```\n",
        "scripts/count.py": _FLAGS,
    },
    {
        "SKILL.md": "# Wait\n\nRead [build](phases/1-build.md).\n\n- Build timeout: 5 min\n",
        "phases/1-build.md": "# Build\n\n- Build timeout: 5 min\n",
    },
    {
        "SKILL.md": "# 等待\n\n详见 `references/build.md`。\n\n- 构建超时：10 分钟\n",
        "references/build.md": "# 构建\n\n- 构建超时：10 分钟\n",
    },
)
