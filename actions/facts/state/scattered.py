"""What a run knows, scattered over several data files, of which one or more tell where the run stands.

Two readings, since skills say it in two ways. Files that the skill is seen to write (`artifacts`) can be gathered by
name from all over it, and a fix knows what to change. Prose that hands out parts of the state ("gravity goes to
`gravity.json`") mostly has no verb that writes: it is read by the paragraph or the list, and only where the first finds
nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from actions.facts.dataflow.artifacts import Mode, Use, artifact_uses
from actions.facts.dataflow.file_names import DATA, base, extension, names_in, normal
from actions.facts.sayings import sayings
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import paragraphs
from actions.skill.stems import Stems
from actions.skill.tables import is_row

_STATE = re.compile(r"(?:^|[-_.])(?:state|status|progress|tracker|tracking)(?:[-_.]|$)", re.IGNORECASE)
_STANDING = re.compile(
    r"(?:^|[-_])(?:state|status|progress|stage|phase|step|pending|done|current|tracker|position|cursor|where)(?:[-_.]|$)"
    r"|进度|阶段|状态",
    re.IGNORECASE,
)
_KEEPS = re.compile(
    r"\b(?:go(?:es)?|is|are|kept|stored|saved|stands?|lives?|writ\w+|record\w*|track\w*|keep|save"
    r"|update)\b[^.;]{0,40}?\b(?:to|in|into|under|as)\b"
    r"|(?:记|存|保存|写|放|登记)(?:在|入|到|于)|在\s?`",
    re.IGNORECASE,
)
_OF_THE_RUN = re.compile(
    r"['’]s state\b|\bstate of (?:the|a|this|our|each)\b|\bwhere (?:the run|the work|the loop|we|you"
    r"|it) (?:stands?|are|is)\b"
    r"|\b(?:run|session|loop) state\b|状态|进度",
    re.IGNORECASE,
)
_PRODUCTS = re.compile(r"\b(?:products?|deliverables?|outputs?|results?)\b|成品|产物|交付|输出", re.IGNORECASE)
_ABOUT = Stems("state", "where", "状态", "进度")
_WORDS = Stems("json", "yaml", "yml", "txt", "toml")
_KINDS = DATA | {"txt"}
_SEVERAL, _MANY = 3, 4
_NEAR = 4


@dataclass(frozen=True)
class Scattered:
    """Where each of the files is named first, in order. `written`: the skill is seen to write them."""

    uses: tuple[Use, ...]
    written: bool


def scattered_states(skill: Skill) -> Iterator[Scattered]:
    """Give the files that the skill is seen to write; else those of each paragraph and list that speaks of them."""
    written = _homes(skill) or max(_shared_out(skill), key=len, default=())
    if written:
        yield Scattered(written, written=True)
        return
    for file in skill.instructions:
        found = [Scattered(uses, written=False) for uses in (*_told(file), *_listed(file))]
        yield from (one for one in found if not file.doc.is_counterexample(one.uses[0].line))


def _homes(skill: Skill) -> tuple[Use, ...]:
    """Give the first write of each data file that keeps where the run stands, where there are several.

    Broader names count too for the files of one folder.
    """
    homes: dict[str, Use] = {}
    for use in artifact_uses(skill):
        name = base(use.name)
        kept = use.mode is Mode.WRITE and "*" not in name and not name.endswith(".md")
        if kept and _STATE.search(name.rsplit(".", 1)[0]):
            homes.setdefault(name, use)
    if len(homes) >= _SEVERAL:
        return tuple(homes.values())
    folders: dict[str, dict[str, Use]] = {}
    for use in artifact_uses(skill):
        folder, _, name = use.name.rpartition("/")
        if use.mode is Mode.WRITE and folder and extension(name) in _KINDS and _STANDING.search(name):
            folders.setdefault(folder, {}).setdefault(name, use)
    return next((tuple(found.values()) for found in folders.values() if len(found) >= _SEVERAL), ())


def _shared_out(skill: Skill) -> Iterator[tuple[Use, ...]]:
    """Give the writes of many data files of a folder within a passage, one of which tells where the run stands."""
    passages: dict[tuple[str, int, str], dict[str, Use]] = {}
    for use in artifact_uses(skill):
        if use.mode is Mode.WRITE and extension(use.name) in _KINDS and "*" not in base(use.name):
            section = skill.by_path[use.file].doc.section_at(use.line).start
            folder = use.name.rpartition("/")[0]
            passages.setdefault((use.file, section, folder), {}).setdefault(base(use.name), use)
    for found in passages.values():
        uses = tuple(found.values())
        close = all(after.line - before.line <= _NEAR for before, after in pairwise(uses))
        doc = skill.by_path[uses[0].file].doc
        rows = sum(is_row(doc.line(line)) for line in {use.line for use in uses})
        told = len(uses) >= _MANY and any(_STANDING.search(base(use.name)) for use in uses)
        if told and close and rows in (0, len(uses)):
            yield uses


def _told(file: SkillFile) -> Iterator[tuple[Use, ...]]:
    """Give the files of each paragraph that keeps parts of the state in them, fewer where one name is in all."""
    for line, _, text in paragraphs(file, _WORDS):
        names = _data_files(text)
        told = len(names) >= _MANY and _KEEPS.search(text)
        shared = len(names) >= _SEVERAL and len({name.partition("-")[0] for name in names}) == 1
        stands = any(map(_STANDING.search, names)) or (told and _OF_THE_RUN.search(text))
        if stands and (told or shared) and not _PRODUCTS.search(text):
            yield tuple(Use(name, Mode.MENTION, file.path, line) for name in names)


def _listed(file: SkillFile) -> Iterator[tuple[Use, ...]]:
    """Give the files of each list below a line that speaks of the state of the run, an entry for each."""
    leads = (line for _, line in _ABOUT.prose(file) if line.rstrip().endswith((":", "：")))
    if not any(map(_OF_THE_RUN.search, leads)):
        return
    found: dict[str, dict[str, Use]] = {}
    for said in sayings(file, _WORDS):
        if said.lead and not said.is_row and _OF_THE_RUN.search(said.lead) and not _PRODUCTS.search(said.lead):
            for name in _data_files(said.text)[:1]:
                found.setdefault(said.lead, {}).setdefault(name, Use(name, Mode.MENTION, file.path, said.line))
    yield from (tuple(names.values()) for names in found.values() if len(names) >= _MANY)


def _data_files(text: str) -> tuple[str, ...]:
    found = [base(normal(name)) for _, _, name in names_in(text)]
    return tuple(dict.fromkeys(name for name in found if extension(name) in _KINDS and "*" not in name))
