"""Paragraphs and lists that spread what a run knows over several data files."""

from collections.abc import Iterator

from actions.facts.dataflow.file_names import base, names_in, normal
from actions.facts.sayings import sayings
from actions.model import regex as re
from actions.model.skill import Skill, SkillFile
from actions.model.statements import paragraphs
from actions.model.stems import Stems

_DATA = frozenset({"json", "yaml", "yml", "txt", "toml"})
_KEEPS = re.compile(
    r"\b(?:go(?:es)?|is|are|kept|stored|saved|stands?|lives?|writ\w+|record\w*|track\w*|keep|save"
    r"|update)\b[^.;]{0,40}?\b(?:to|in|into|under|as)\b"
    r"|(?:记|存|保存|写|放|登记)(?:在|入|到|于)|在\s?`",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"(?:^|[-_])(?:state|status|progress|stage|phase|step|pending|done|current|tracker)(?:[-_.]|$)", re.IGNORECASE
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
MANY = 4


def scattering(skill: Skill) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Give file, line and names of each paragraph or list with four or more such files.

    One of them tells where the run stands, or the text says that it speaks of the state of the run.
    """
    for file in skill.instructions:
        for line, _, text in paragraphs(file, _WORDS):
            names = _data_files(text)
            told = len(names) >= MANY and _KEEPS.search(text) and not _PRODUCTS.search(text)
            of_the_run = told and (any(map(_STANDING.search, names)) or _OF_THE_RUN.search(text))
            if of_the_run and not file.doc.is_counterexample(line):
                yield file.path, line, names
        leads = (line for _, line in _ABOUT.prose(file) if line.rstrip().endswith((":", "：")))
        if any(map(_OF_THE_RUN.search, leads)):
            yield from _listed(file)


def _listed(file: SkillFile) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Give the lists below a line that speaks of the state of the run, an entry for each file."""
    found: dict[str, dict[str, int]] = {}
    for said in sayings(file, _WORDS):
        if said.lead and not said.is_row and _OF_THE_RUN.search(said.lead) and not _PRODUCTS.search(said.lead):
            for name in _data_files(said.text)[:1]:
                found.setdefault(said.lead, {}).setdefault(name, said.line)
    for names in found.values():
        first = min(names.values())
        if len(names) >= MANY and not file.doc.is_counterexample(first):
            yield file.path, first, tuple(names)


def _data_files(text: str) -> tuple[str, ...]:
    found = [base(normal(name)) for _, _, name in names_in(text)]
    return tuple(dict.fromkeys(n for n in found if n.rsplit(".", 1)[-1] in _DATA and "*" not in n))
