"""A phase file that nothing leads to.

What it sees: a file in the folder of the phases that no other file names: not by path, name, number, title or a
pattern such as `phases/*.md`; a file of any folder whose other files are named by their paths.
“All the phase files” means those that are named, where three or more are.
Why it is bad: The model never reads it, so its work is left out, and nobody notices.
Instead: Name the phase where its turn comes, or delete the file.
May be wrong: A program outside of the skill hands the file to the model. A file that calls itself test material is left.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping

from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, Role, Skill, SkillFile
from actions.skill.text import plain
from schemas.vocabulary import Confidence, Family, Severity

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
    {
        "SKILL.md": "# Count\n\n| Mode | File |\n|---|---|\n| short | `modes/short.md` |\n| long | `modes/long.md` |\n",
        "modes/short.md": "# Short\n\nx\n",
        "modes/long.md": "# Long\n\nx\n",
        "modes/spoken.md": "# Spoken\n\nx\n",
    },
    {
        "SKILL.md": "# Play\n\nHave all the phase files at hand.\n\n- [phases/1-tale.md](phases/1-tale.md)\n- [phases/2-dolls.md](phases/2-dolls.md)\n- [phases/3-stage.md](phases/3-stage.md)\n",
        "phases/1-tale.md": "# Tale it\n\nDo.\n",
        "phases/2-dolls.md": "# Dolls it\n\nDo.\n",
        "phases/3-stage.md": "# Stage it\n\nDo.\n",
        "phases/4-curtain.md": "# Curtain it\n\nDo.\n",
    },
)
GOOD = (
    {
        "SKILL.md": "# Count\n\nShort ones go by `references/short.md`.\n",
        "references/short.md": "# Short\n\nx\n",
        "references/acceptance-criteria.md": "# Acceptance criteria of the count\n\n**Purpose**: to test this skill.\n",
    },
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
    {
        "SKILL.md": "# Count\n\nShort ones go by `modes/short.md`; the others are in `modes/`.\n",
        "modes/short.md": "# Short\n\nx\n",
        "modes/spoken.md": "# Spoken\n\nx\n",
    },
    {
        "SKILL.md": "# Play\n\nHave all the phase files at hand.\n\n- [phases/1-tale.md](phases/1-tale.md)\n- [phases/2-dolls.md](phases/2-dolls.md)\n",
        "phases/1-tale.md": "# Tale it\n\nDo.\n",
        "phases/2-dolls.md": "# Dolls it\n\nDo.\n",
        "phases/3-stage.md": "# Stage it\n\nDo.\n",
        "phases/4-curtain.md": "# Curtain it\n\nDo.\n",
    },
)
_TESTS = re.compile(
    r"\bacceptance criteria\b|\b(?:test|eval(?:uation)?)[ -](?:cases?|data|fixtures?|material|scenarios?|prompts?|set)\b"
    r"|\b(?:skill|for|used in) (?:tests?|testing|evals)\b|验收标准|测试(?:用例|数据|材料|场景)",
    re.IGNORECASE,
)
_HEAD = 8
_LISTED = 3
"""Where so many are named by their paths, “all phases” means those."""
_FOLDER = re.compile(
    r"(?:phases?|steps|actions|roles|commands|workflows?|stages)(?:/?[\w-]*[*{<$]|/[\w-]*\[|/?[`\"']?\s*(?:director|folder|目录|in order|依次))|\$\{\w*(?:phase|action|step|role|command)\w*\}",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:all|each|every|the|next|corresponding|matching|selected|current)\b[\w -]{0,20}\b(?:phase|step|action|role|command|workflow)s?\b[\w -]{0,12}\b(?:file|doc)|"
    r"/[`\"']?\s*[下中里]的?(?:各个?|所有|全部|每个)?文件|(?:所有|每个|对应|下一个?|相应)(?:的)?(?:阶段|步骤|动作|角色|命令)(?:文件|文档)",
    re.IGNORECASE,
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each phase file that no other file leads to."""
    skill = case.skill
    texts = {f.path: f.lower for f in skill.files if f.role is not Role.ASSET}
    lost = [phase for phase in skill.phases if not _is_named(phase, texts)] if len(skill.phases) > 1 else []
    listed = sum(any(phase.path.lower() in text for text in texts.values()) for phase in skill.phases)
    open_ = (_FOLDER,) if len(lost) == 1 and listed >= _LISTED else (_FOLDER, _ALL)
    if lost and not any(words.search(file.text) for file in skill.instructions for words in open_):
        for phase in lost:
            yield _evidence(phase)
    told = {phase.path for phase in lost}
    yield from (_evidence(file) for file in _left_out(skill, texts) if file.path not in told)


def _evidence(file: SkillFile) -> Evidence:
    severity = Severity.LOW if file.path.startswith(("reference", "spec", "doc")) else None
    return Evidence(file.path, file.doc.body_start, f"Nothing in the skill leads to `{file.path}`.", severity=severity)


def _left_out(skill: Skill, texts: Mapping[str, str]) -> Iterator[SkillFile]:
    """Give the instruction files of a folder whose other files are named by their paths, and that no text names."""
    folders: dict[str, list[SkillFile]] = {}
    for file in skill.instructions:
        folder = posixpath.dirname(file.path)
        if folder and file.role in _READ:
            folders.setdefault(folder, []).append(file)
    for folder, files in folders.items():
        named = [file for file in files if any(file.path.lower() in text for text in texts.values())]
        whole = re.compile(
            rf"{re.escape(folder)}(?:/(?![\w.-])|/?[`\"'“”]|/?\s+(?:folder|director|目录))", re.IGNORECASE
        )
        if named and len(named) < len(files) and not any(whole.search(text) for text in texts.values()):
            left = (file for file in files if file not in named and not _is_spoken_of(file, texts))
            yield from (file for file in left if not _is_test_material(file))


def _is_test_material(file: SkillFile) -> bool:
    """Tell whether a reference says in its title or its first lines that it is there to test the skill."""
    start = file.doc.body_start
    return file.role is not Role.PHASE and bool(_TESTS.search("\n".join(file.doc.lines[start - 1 : start + _HEAD])))


def _is_spoken_of(file: SkillFile, texts: Mapping[str, str]) -> bool:
    """Tell whether another file names this one by its file name, its title, or its stem in a span, quotes or bold."""
    name = posixpath.basename(file.path).lower()
    stem = posixpath.splitext(name)[0]
    title = next((plain(section.title) for section in file.doc.sections if section.level), "")
    marks = [name, *(f"{left}{stem}{right}" for left, right in ("``", "''", '""', "**", "“”", "[]"))]
    marks += [title] if len(title.split()) > 1 else []
    return any(mark in text for path, text in texts.items() if path != file.path for mark in marks)


_READ = frozenset({Role.PHASE, Role.REFERENCE, Role.SPEC})


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
