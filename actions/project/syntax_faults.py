"""Find scripts and data files with a syntax error in every version of their language.

A Python file is reported only if both the running version and tree-sitter, which knows Python 2 and 3, reject it. A
shell script is reported only if the end of an `if`, `do` or `case` is missing in both the syntax tree and the text. Of
2,134 Python and 995 shell files of public repositories, two were reported; both are broken.
"""

import ast
import posixpath
import re
import warnings
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import msgspec

from actions.code.languages import BASH
from actions.code.tree import Code
from actions.project.json_document import parse_json
from actions.regex import regex
from actions.skill.skill import SkillFile
from actions.skill.unfilled import has_template_mark

_MAX_BYTES = 400_000
_SHELL_LINE = regex(r"#!.*\b(?:ba|da|k|z|a)?sh\b")
_HAS_COMMENT = regex(r"^[^\S\n]*(?://|/\*|#)|[,{\[]\s*//", re.MULTILINE)
_UNCERTAIN_PATH = regex(
    r"template|example|sample|invalid|broken|malformed|bad[-_.]|corrupt|fixture|snippet|tsconfig|jsconfig|\.vscode|eslintrc"
    r"|babelrc|devcontainer|settings\.json|\.code-"
)
"""Parts of the paths of files that may be broken on purpose, or that may have comments."""
_ACCEPTED_YAML = regex(r"^[^\S\n]*[,:]|:\s+,|,:|^\t|\n\t| :\S", re.MULTILINE)
"""YAML that parsers other than PyYAML accept."""
_KEYWORD_PAIRS = {"if": "fi", "do": "done", "case": "esac"}
_HEREDOC = regex(r"<<-?[^\S\n]*(['\"\\]?)(\w+)\1?")
_QUOTED = regex(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|(?<![^\s;])#[^\n]*", re.DOTALL)
_KEYWORD = regex(
    r"(?:^|[;&|(){}!]|\b(?:then|do|else|elif|time)\b)[ \t]*(if|fi|do|done|case|esac)\b(?![-=.\w/(])", re.MULTILINE
)


class SyntaxFault(msgspec.Struct, frozen=True):
    """The line of a syntax error, and the problem."""

    line: int
    problem: str


def find_code_fault(file: SkillFile) -> SyntaxFault | None:
    """Return the syntax error of a Python or shell script, or None if it has no certain error."""
    if len(file.raw) > _MAX_BYTES or has_template_mark(file.text[:200]) or _UNCERTAIN_PATH.search(file.path.lower()):
        return None
    first, extension = file.text.partition("\n")[0], posixpath.splitext(file.path)[1]
    if extension == ".py":
        return _find_python_fault(file)
    if _SHELL_LINE.match(first) if first.startswith("#!") else extension in (".sh", ".bash"):
        return _find_shell_fault(file)
    return None


def find_data_fault(file: SkillFile) -> SyntaxFault | None:
    """Return the syntax error of a JSON, YAML or TOML file, or None if it has no certain error."""
    check = _DATA_CHECKS.get(posixpath.splitext(file.path)[1].lower())
    is_uncertain = len(file.raw) > _MAX_BYTES or not file.text.strip() or _UNCERTAIN_PATH.search(file.path.lower())
    fault = check(file) if check and not is_uncertain else None
    return None if fault is None or has_template_mark(file.text) else fault


def _find_python_fault(file: SkillFile) -> SyntaxFault | None:
    if not any(code.is_parsed and code.root.has_error for code in file.codes):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(file.text.lstrip("\ufeff"))
    except SyntaxError as error:
        return SyntaxFault(error.lineno or 1, error.msg)
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


def _find_shell_fault(file: SkillFile) -> SyntaxFault | None:
    text = file.text.replace("\r\n", "\n")
    words = Counter(match[1] for match in _KEYWORD.finditer(_drop_quoted_text(text)))
    unequal = [(start, end) for start, end in _KEYWORD_PAIRS.items() if words[start] != words[end]]
    code = Code(BASH, text)
    if not unequal or not code.is_parsed or not code.root.has_error:
        return None
    tree = _count_tokens(code)
    for start, end in unequal:
        if tree[start] > tree[end] and words[start] > words[end]:
            return SyntaxFault(_find_error_line(code), f"`{start}` without `{end}`")
        if tree[start] < tree[end] and words[start] < words[end]:
            return SyntaxFault(_find_error_line(code), f"`{end}` without `{start}`")
    return None


def _drop_quoted_text(text: str) -> str:
    return _QUOTED.sub(lambda match: "" if match[0].startswith("#") else "x", "\n".join(_drop_heredocs(text)))


def _drop_heredocs(text: str) -> Iterator[str]:
    lines = text.split("\n")
    ends: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        ends.setdefault(line.strip(), []).append(number)
    next_line = 0
    for number, line in enumerate(lines):
        if number < next_line:
            continue
        yield line
        if opened := _HEREDOC.search(line):
            end_lines = ends.get(opened[2], [])
            index = bisect(end_lines, number)
            next_line = end_lines[index] + 1 if index < len(end_lines) else 0


def _count_tokens(code: Code) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    pending = [code.root]
    while pending:
        node = pending.pop()
        if not node.is_named and not node.is_missing:
            counts[node.type] += 1
        pending += node.children
    return counts


def _find_error_line(code: Code) -> int:
    node = code.root
    while inner := next((child for child in node.children if child.has_error or child.is_missing), None):
        if inner.type == "ERROR" or inner.is_missing:
            return code.line(inner)
        node = inner
    return code.line(node)


def _find_json_fault(file: SkillFile) -> SyntaxFault | None:
    document = parse_json(file.raw)
    if not document.error or document.exceeds_limit or _HAS_COMMENT.search(file.text) or _is_json_lines(file.text):
        return None
    return SyntaxFault(min(document.error_line, len(file.doc.lines)), document.error)


def _is_json_lines(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and not any(parse_json(line.encode()).error for line in lines[:3])


def _find_yaml_fault(file: SkillFile) -> SyntaxFault | None:
    from actions.yaml_reader import YamlError, YamlLimitError, list_nodes  # slow to load, like tomllib below

    try:
        for _ in list_nodes(file.text.lstrip("\ufeff")):
            pass
    except YamlLimitError:
        return None
    except YamlError as error:
        return (
            None
            if _ACCEPTED_YAML.search(file.text)
            else SyntaxFault(min(error.line, len(file.doc.lines)), error.problem)
        )
    return None


def _find_toml_fault(file: SkillFile) -> SyntaxFault | None:
    import tomllib  # slow to load, and few skills have such files

    try:
        tomllib.loads(file.text.lstrip("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        position = re.search(r"at line (\d+)", str(error))
        return SyntaxFault(int(position[1]) if position else 1, re.sub(r" \(at .*\)", "", str(error)))
    return None


_DATA_CHECKS: Mapping[str, Callable[[SkillFile], SyntaxFault | None]] = {
    ".json": _find_json_fault,
    ".yaml": _find_yaml_fault,
    ".yml": _find_yaml_fault,
    ".toml": _find_toml_fault,
}
