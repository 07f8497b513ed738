"""Broken phase contracts: files that are written and never read, or read and never written."""

import re

from actions.facts.dataflow.artifacts import Mode, Use, artifact_uses, is_guarded, same
from actions.facts.dataflow.file_names import DATA, base, extension, is_open, normal, overlap
from actions.facts.dataflow.stages import has_stages, is_first, is_last, listed_steps
from actions.skill.memo import once
from actions.skill.skill import Skill

_KEPT = re.compile(
    r"report|summary|final|readme|result|deliver|log\b|histor|audit|backup|archive|snapshot|metric|trace"
    r"|telemetry|state|session"
    r"|config|setting|setup|index|checkpoint|progress|receipt|manifest|package|metadata|output|schema|template"
    r"|cache|lock|handoff"
    r"|tsconfig|pyproject|compose|workflow|dashboard|export|lock|composer|lerna|launch|tasks\.json|renovate|biome",
    re.IGNORECASE,
)
_RUN_DIR = re.compile(
    r"^\*/|^\.[\w-]+/|^(?:tmp|temp|work|workspace|scratch|out|output|intermediate|run|runs)/", re.IGNORECASE
)
_TAKES = (
    r"(?:\b(?:read|load|use|using|from|based on|consume|parse|with|given|merge)\b|读取|加载|使用|基于|根据|来自|合并)"
)
_BROWSE = re.compile(
    r"\b(?:Glob|glob|listdir|readdir|iterdir)\b|\b(?:ls|find)\s+[-.$~/{<`\"']|\ball (?:files|artifacts|outputs)\b"
    r"|所有(?:文件|产物|输出)"
)
_WILD = re.compile(r"(?P<path>[\w${}./*-]{0,120}\*)\.(?P<kinds>\{[^}\n]{1,40}\}|\w{1,6})")

_ALL = re.compile(r"\*|\ball\b|所有", re.IGNORECASE)
_HERE = ""
"""The folder of a name without one."""
_FOR_THE_USER = re.compile(
    r"\b(?:user|customer|ask|show|deliver|hand|send|print|publish|give)s?\b|用户|问|收|客户|交给|发给|展示|给.{0,4}看|念给",
    re.IGNORECASE,
)
_HANDED = re.compile(
    r"\bphase\s*\d|\bstep\s*\d|\b(?:previous|prior|earlier|last) (?:phase|step|stage)|上一?个?(?:阶段|步)"
    r"|前一?(?:阶段|步)|阶段\s*\d",
    re.IGNORECASE,
)


@once
def unread(skill: Skill) -> tuple[Use, ...]:
    """Give the first write of each file that an earlier stage leaves and nothing takes up."""
    uses = artifact_uses(skill)
    staged = has_stages(skill) or listed_steps(skill)
    firsts = _first_by_name(uses, Mode.WRITE) if staged else []
    handed = [use for use in firsts if _is_handed_on(skill, use)][:_MOST]
    return tuple(use for use in handed if _is_unread(skill, uses, use))


@once
def unwritten(skill: Skill) -> tuple[Use, ...]:
    """Give the first read of each file of the run's own folder that no place writes or otherwise names."""
    uses = artifact_uses(skill)
    roots = {_root(use.name) for use in uses if use.mode is Mode.WRITE and "/" in use.name}
    if not has_stages(skill):
        roots = roots & run_folders(skill) if listed_steps(skill) else set()
    if has_stages(skill) or listed_steps(skill):
        roots.add(_HERE)
    firsts = _first_by_name(uses, Mode.READ) if roots else []
    ours = [use for use in firsts if not is_open(use.name) and _is_ours(skill, use, roots)][:_MOST]
    return tuple(use for use in ours if _is_only_read(skill, same(uses, use.name)))


_MOST, _ONE_SPAN = 100, 2


@once
def run_folders(skill: Skill) -> frozenset[str]:
    """Give the folders in which one place leaves a file that another place takes up: they are the run's own.

    A data file without a folder counts as one of `_HERE`, where the project's own files lie too.
    """
    uses = [use for use in artifact_uses(skill) if ("/" in use.name or _is_data(use.name)) and not is_open(use.name)]
    taken = {use.name for use in uses if use.mode is Mode.READ}
    return frozenset(_root(use.name) for use in uses if use.mode is Mode.WRITE and use.name in taken)


def _is_data(name: str) -> bool:
    """Tell whether a name without a folder is data of the run, and no file that projects have."""
    return extension(name) in DATA and not name.startswith(".") and not _KEPT.search(name)


def _first_by_name(uses: tuple[Use, ...], mode: Mode) -> list[Use]:
    found: dict[str, Use] = {}
    for use in uses:
        if use.mode is mode:
            found.setdefault(use.name, use)
    return list(found.values())


def _is_handed_on(skill: Skill, use: Use) -> bool:
    """Whether the file looks like data for a later stage, not like a product, a record or a project's file."""
    name, file = base(use.name), skill.by_path[use.file]
    if is_open(use.name) or _KEPT.search(name) or is_last(skill, file, use.line):
        return False
    ours = _root(use.name) in run_folders(skill) and ("/" in use.name or _is_data(use.name))
    if not has_stages(skill):
        line = file.doc.line(use.line)
        alone = "/" not in use.name and use.line >= listed_steps(skill)[0] and line.count("`") == _ONE_SPAN
        ours = ours or (alone and _is_data(use.name))
        return ours and file is skill.main and not _FOR_THE_USER.search(line)
    inside = ours or bool(_RUN_DIR.match(use.name))
    return inside if extension(use.name) not in DATA or "/" in use.name else not name.startswith(".")


def _is_unread(skill: Skill, uses: tuple[Use, ...], use: Use) -> bool:
    if any(other.mode in (Mode.READ, Mode.MENTION) for other in same(uses, use.name)) or _is_of_a_script(skill, use):
        return False
    return not _spoken_of(skill, use)


def _spoken_of(skill: Skill, use: Use) -> bool:
    """Whether another line takes the content up without naming the file, or takes the whole folder."""
    stem = [word for word in re.split(r"[^A-Za-z]+", base(use.name).rsplit(".", 1)[0]) if len(word) > 2]
    taken = (
        re.compile(_TAKES + r"[^.\n]{0,60}?" + r"[\W_]?".join(map(re.escape, stem)), re.IGNORECASE) if stem else None
    )
    folder = use.name.rsplit("/", 2)[-2] if use.name.count("/") else ""
    for file in skill.instructions:
        for number, line in enumerate(file.doc.lines[file.doc.body_start - 1 :], file.doc.body_start):
            if file.path == use.file and number == use.line:
                continue
            if taken and stem[0].lower() in line.lower() and base(use.name) not in line and taken.search(line):
                return True
            if folder and folder != "*" and f"{folder}/" in line and _takes_folder(line, folder):
                return True
            if not folder.strip("*") and _BROWSE.search(line) and _ALL.search(line) and _may_find(line, use.name):
                return True
    return False


def _may_find(line: str, name: str) -> bool:
    """Tell whether a line that looks through a folder asks for no certain kind of file, or for one like `name`."""
    asked, kind = list(_WILD.finditer(line)), extension(name)
    return not asked or any(kind in wild["kinds"] and overlap(normal(f"{wild['path']}.{kind}"), name) for wild in asked)


def _takes_folder(line: str, folder: str) -> bool:
    return bool(
        re.search(re.escape(folder) + r"/(?![\w*${<\[.-])", line) or re.search(re.escape(folder) + r"/\*", line)
    )


def _is_only_read(skill: Skill, uses: list[Use]) -> bool:
    return all(u.mode is Mode.READ for u in uses) and not any(is_guarded(skill, u) for u in uses)


def _is_of_a_script(skill: Skill, use: Use) -> bool:
    """Tell whether a file that is no instruction, or the description, names the file: it may read or write it there."""
    others = [file.text for file in skill.files if not file.is_instruction]
    return any(base(use.name) in text for text in (*others, skill.frontmatter.text("description")))


def _root(name: str) -> str:
    return name.rpartition("/")[0]


def _is_ours(skill: Skill, use: Use, roots: set[str]) -> bool:
    """Whether the skill's own phases should have made the file."""
    file = skill.by_path[use.file]
    if is_first(skill, file, use.line):
        return False
    if "/" in use.name:
        return _root(use.name) in roots
    line = file.doc.line(use.line)
    ours = _HERE in roots and _is_data(use.name) and not _FOR_THE_USER.search(line) and not _is_of_a_script(skill, use)
    return ours or bool(_HANDED.search(line))
