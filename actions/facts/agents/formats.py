"""The forms in which the sub-agents of a skill are asked to answer."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.agents import words as w
from actions.facts.agents.calls import agent_steps
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import statements
from actions.skill.stems import Gated, Stems
from actions.skill.tables import is_row, table_rows
from actions.skill.text import is_item, sentences

_FORMS = {
    "JSON": r"\bJSON\b|\bformat:\s*[\[{]",
    "YAML": r"\bYAML\b",
    "XML": r"\bXML\b",
    "CSV": r"\bCSV\b",
    "a table": r"\bMarkdown\s*(?:tables?|表格)|\b(?:a|as|one) tables?\b|表格|附表|一张表",
    "a list": r"\b(?:bulleted|bullet|Markdown|check-?)[ -]?(?:list|points?)|\bchecklist\b|项目符号",
    "Markdown": r"\bMarkdown\b(?!\s*(?:tables?|lists?|checklist|表格|列表))",
    "prose": r"\b(?:prose|essays?|paragraphs?|free[- ](?:form )?text|plain (?:text|English)|a few sentences)\b"
    r"|一段话|文字叙述|散文|自由文本",
}
_WORDS = {
    "JSON": "json format",
    "YAML": "yaml",
    "XML": "xml",
    "CSV": "csv",
    "a table": "table 表格 附表 一张表",
    "a list": "list point 项目符号",
    "Markdown": "markdown",
    "prose": "prose essay paragraph text english sentence 一段话 文字叙述 散文 自由文本",
}
_ANY = {name: Gated(regex, re.IGNORECASE, _WORDS[name]) for name, regex in _FORMS.items()}
_ASKED = Gated(
    rf"\b(?:{w.ANSWER}|respond(?:s)?|return(?:s)?|output|report(?:s)?|format|asked for|come back|give back"
    r"|deliver(?:s)?)\b|返回|回复|输出|回答|形式|格式|让它|带回|交回|回\s?(?=JSON|YAML|XML|CSV)"
    r"|[用以]\s?(?:JSON|YAML|XML|CSV)\s?回",
    re.IGNORECASE,
    "answer repl respon output result finding verdict return send sent report format asked come give deliver"
    " 返回 回 输出 形式 格式 让它 带 交 给出 结果 响应",
)
_CHOICE = re.compile(
    r"\b(?:either|any of|whichever|whatever|all fine|are fine|is fine|as (?:it|they) (?:like|prefer|see)|or)\b"
    r"|都可以|都行|均可|或者?|任意|随意|不限|不作限定|怎么",
    re.IGNORECASE,
)
_BY_CASE = re.compile(
    r"\binstead\b|\bwhile\b|\bwhereas\b|\bfor (?:rare|large|small|doubtful|long|short)\b|时[，,]?让|另附"
    r"|\bone\b[^.;]{0,60}\b(?:the other|another|the second)\b|一个[^。；]{0,30}?[一另]一?个",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[;,；，]|\band\b")
_FOR_A_CASE = re.compile(
    r"\bfor (?!each\b|every\b|all\b|any\b|example\b|instance\b|the (?:user|report|record)\b|humans?\b|machines?\b)\w+"
    r"|^[^a-z，；]{1,12}的[用以写给回]"
)
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their)\b|它|两边|各自", re.IGNORECASE)
_FOR_USER = re.compile(
    r"\b(?:users?|final|merge[ds]?|convert\w*|render\w*|into|(?:the|a|your) report)\b|用户|最终"
    r"|汇总为|合并为|转换|报告",
    re.IGNORECASE,
)
_CLOSE = 40
_BACK = 4
"""So many paragraphs or list entries behind the one that names a sub-agent may call it `it`."""
_COLUMN = re.compile(
    r"\b(?:returns?|repl(?:y|ies)|answers?|output|format|form|gives)\b|返回|回复|输出|格式", re.IGNORECASE
)
_FORM_WORDS = Stems(
    *"json yaml xml csv table markdown prose essay paragraph text list bullet 表格 附表 一张表 一段话 叙述 列表".split()
)
_WORKER = Gated(
    rf"\b{w.WORKER}|\bhelpers?\b(?!\s+(?:functions?|scripts?|methods?|class(?:es)?|modules?|files?|tools?"
    rf"|commands?|librar))"
    rf"|{w.WORKER_CHINESE}|帮手",
    re.IGNORECASE,
    w.WORKERS,
)
_ANSWERS = re.compile(
    r"\b(?:answers?|repl(?:y|ies)|responds?|returns?|sends? back)\b|回\s?(?=JSON|YAML|XML|CSV)|回复|回答|返回",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Asked:
    """Forms that are asked for at `line`; more than one where the sub-agent may choose."""

    file: SkillFile
    line: int
    forms: tuple[str, ...]


def asked_forms(skill: Skill) -> Iterator[Asked]:
    """Give what the prompts, the sentences about answers and the tables of sub-agents ask for, file by file."""
    found = [*_in_prompts(skill)]
    for file in skill.instructions:
        if any(_WORKER.search(line) for _, line in w.WORKERS.lines(file)):
            found += [*_in_prose(file), *_in_rows(file)]
    yield from sorted(found, key=lambda asked: (asked.file.path, asked.line))


def _in_prompts(skill: Skill) -> Iterator[Asked]:
    for step in agent_steps(skill):
        for sentence in sentences(step.prompt.replace("\n", " ")) if step.prompt else ():
            forms = forms_in(sentence)
            if _ASKED.search(sentence) if len(forms) == 1 else forms and _CHOICE.search(sentence):
                yield Asked(step.file, step.line, forms)


def _in_prose(file: SkillFile) -> Iterator[Asked]:
    workers = {said.unit for said in statements(file, w.WORKERS) if _WORKER.search(said.text)}
    for said in statements(file, _FORM_WORDS):
        behind = any(said.unit - back in workers for back in range(1, _BACK + 1))
        listed = behind and is_item(file.doc.line(said.line)) and _ANSWERS.search(said.text)
        by_case = _is_shared_out(said.text)
        near = said.unit in workers or listed or (behind and (by_case or _PRONOUN.search(said.text)))
        asked = _ASKED.search(said.text)
        forms = forms_in(said.text) if asked else ()
        if asked and len(forms) == 1 and (_FOR_USER.search(said.text) or not _is_close(said.text, forms[0])):
            forms = ()
        if not forms or is_row(file.doc.line(said.line)) or file.doc.is_counterexample(said.line):
            continue
        chosen = len(forms) == 1 or _CHOICE.search(said.text) or _BY_CASE.search(said.text) or by_case
        if chosen and (near or "prompt" in said.text):
            yield Asked(file, said.line, forms)


def _is_shared_out(text: str) -> bool:
    """Tell whether a sentence has one form for one case and another for the next, clause by clause."""
    cases = [forms_in(clause) for clause in _CLAUSE.split(text) if _FOR_A_CASE.search(clause)]
    return len({forms for forms in cases if len(forms) == 1}) > 1


def _is_close(text: str, form: str) -> bool:
    places = [match.start() for match in _ANY[form].finditer(text)]
    return any(-_CLOSE < at - asked.end() < _CLOSE for at in places for asked in _ASKED.finditer(text))


def _in_rows(file: SkillFile) -> Iterator[Asked]:
    for row in table_rows(file):
        if any(_WORKER.search(title) for title, _ in row.cells):
            forms = forms_in(" ".join(cell for title, cell in row.cells if _COLUMN.search(title)))
            if len(forms) == 1:
                yield Asked(file, row.line, forms)


def forms_in(text: str) -> tuple[str, ...]:
    """Give the forms that a text names."""
    return tuple(name for name, regex in _ANY.items() if regex.search(text))
