"""Paragraphs that spread what a run knows over several data files."""

from collections.abc import Iterator

from actions.facts.dataflow.file_names import base, names_in, normal
from actions.model import regex as re
from actions.model.skill import Skill
from actions.model.statements import paragraphs
from actions.model.stems import Stems

_DATA = frozenset({"json", "yaml", "yml", "txt", "toml"})
_KEEPS = re.compile(
    r"\b(?:go(?:es)?|is|are|kept|stored|saved|stands?|lives?|writ\w+|record\w*|track\w*|keep|save"
    r"|update)\b[^.;]{0,40}?\b(?:to|in|into|under|as)\b"
    r"|(?:记|存|保存|写|放|登记)(?:在|入|到|于)",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"(?:^|[-_])(?:state|status|progress|stage|phase|step|pending|done|current|tracker)(?:[-_.]|$)", re.IGNORECASE
)
_WORDS = Stems("json", "yaml", "yml", "txt", "toml")
MANY = 4


def scattering(skill: Skill) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Give file, line and names of each paragraph with four or more such files; one tells where the run stands."""
    for file in skill.instructions:
        for line, text in paragraphs(file, _WORDS):
            found = [base(normal(name)) for _, _, name in names_in(text)]
            names = tuple(dict.fromkeys(n for n in found if n.rsplit(".", 1)[-1] in _DATA and "*" not in n))
            told = len(names) >= MANY and len(_KEEPS.findall(text)) >= 1 and any(map(_STANDING.search, names))
            if told and not file.doc.is_counterexample(line):
                yield file.path, line, names
