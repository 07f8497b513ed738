"""A phase file that nothing leads to.

What it sees: a file in the folder of the phases that no other file names: not by path, name, number, title or a
pattern such as `phases/*.md`.
Why it is bad: The model never reads it, so its work is left out, and nobody notices.
Instead: Name the phase where its turn comes, or delete the file.
May be wrong: A program outside of the skill hands the file to the model.
"""

from collections.abc import Iterator, Mapping

from actions.model import Case, Role, SkillFile
from actions.model import regex as re
from actions.model.text import plain
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="DF-010",
    family=Family.DATAFLOW,
    impact=("loses",),
    confidence=Confidence.MEDIUM,
    strategies=("link_phase",),
)
BAD = (
    {
        "SKILL.md": "# Move\n\n1. Read `phases/01-pack.md` and pack.\n2. Read `phases/02-carry.md` and carry.\n",
        "phases/01-pack.md": "# Pack\n\nPack.\n",
        "phases/02-carry.md": "# Carry\n\nCarry.\n",
        "phases/03-clean.md": "# Sweep the old flat\n\nSweep.\n",
    },
    {
        "SKILL.md": "# 搬家\n\n先执行 [打包](phases/打包.md)，然后通知用户。\n",
        "phases/打包.md": "# 打包\n\n打包。\n",
        "phases/验收.md": "# 逐项清点\n\n清点。\n",
    },
)
GOOD = (
    {
        "SKILL.md": "# Move\n\nWork through `phases/*.md` in order.\n",
        "phases/01-pack.md": "# Pack\n\nPack.\n",
        "phases/02-carry.md": "# Carry\n\nCarry.\n",
    },
    {
        "SKILL.md": "# Move\n\nPhase 1 packs (`phases/01-pack.md`), then Phase 2 carries.\n",
        "phases/01-pack.md": "# Pack\n\nThen follow `02-carry.md`.\n",
        "phases/02-carry.md": "# Carry\n\nCarry.\n",
    },
    {
        "SKILL.md": "# Crew\n\n| Role | Does |\n|---|---|\n| packer | packs |\n\nRead `roles/<role>/role.md` of your role.\n",
        "roles/packer/role.md": "# Packer\n\nPacks.\n",
        "roles/driver/role.md": "# Driver\n\nDrives.\n",
    },
)
_ALL = re.compile(
    r"(?:phases?|steps|actions|roles|commands|workflows?|stages)/?(?:[\w-]*[*{<$\[]|[`\"']?\s*(?:director|folder"
    r"|目录|in order|依次))"
    r"|\b(?:all|each|every|the|next|corresponding|matching|selected|current)\b[\w -]{0,20}\b(?:phase|step|action"
    r"|role|command|workflow)s?\b[\w -]{0,12}\b(?:file|doc)|"
    r"(?:所有|每个|对应|下一个?|相应)(?:的)?(?:阶段|步骤|动作|角色|命令)(?:文件|文档)|\$\{\w*(?:phase|action|step"
    r"|role|command)\w*\}",
    re.IGNORECASE,
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each phase file that no other file leads to."""
    skill = case.skill
    texts = {f.path: f.lower for f in skill.files if f.role is not Role.ASSET}
    lost = [phase for phase in skill.phases if not _is_named(phase, texts)] if len(skill.phases) > 1 else []
    if lost and not any(_ALL.search(file.text) for file in skill.instructions):
        for phase in lost:
            yield Evidence(phase.path, phase.doc.body_start, f"Nothing in the skill leads to `{phase.path}`.")


def _is_named(phase: SkillFile, texts: Mapping[str, str]) -> bool:
    names = _names(phase)
    return any(name in text for path, text in texts.items() if path != phase.path for name in names)


def _names(phase: SkillFile) -> set[str]:
    """What another file may call the phase: file name, stem with and without its number, title, `phase 3`."""
    stem = phase.path.rsplit("/", 1)[-1].rsplit(".", 1)[0].lower()
    bare = re.sub(r"^(?:(?:phase|step|stage|action)[-_]?)?\d*[-_.]?", "", stem)
    title = next((plain(s.title) for s in phase.doc.sections if s.level), "")
    names = {stem, title, re.sub(r"^(?:phase|step|stage)\s*\d+\W*", "", title)}
    names |= {bare.replace("-", mark).replace("_", mark) for mark in (" ", "-", "_")} if len(bare) > 3 else set()
    number = re.search(r"\d+", stem)
    if number:
        names |= {f"{word} {int(number[0])}" for word in ("phase", "step", "stage", "阶段")}
    return {name for name in names if len(name) > 2}
