"""Sentences that put off what they should say: something is missing, and it is to come later."""

import re
from collections.abc import Iterator

from actions.skill.skill import SkillFile
from actions.skill.statements import statements
from actions.skill.stems import Gated, Stems
from actions.skill.tables import cells_of, is_row
from actions.skill.text import strip_list_mark

_MADE = (
    r"written|filled(?: in| out)?|done|decided|defined|worked out|specified|determined|described|added|documented"
    r"|agreed"
    r"|settled|implemented|completed|supplied|built|finished|drafted"
)
_GAP = re.compile(
    rf"\b(?:to be|still needs? to be) (?:\w+ )?(?:{_MADE})\b"
    rf"|\b(?:not|never|nothing)(?: \w+)? (?!settled|agreed|completed)(?:{_MADE}|there|available|supported"
    rf"|exist)(?=\s*(?:[.,;:)]|$|here|this"
    rf"|it\b|so\b|for\b))|\b(?:hasn|haven|isn|aren)['’]t (?:been )?(?:{_MADE})\b"
    r"|\b(?:left|leave|stays?|kept) (?:\w+ ){0,3}(?:open|blank|empty|out|undone)\b"
    r"|\b(?:is|are|stays?|still) (?:still |currently |just |only )?(?:missing|blank|empty|unwritten|undecided"
    r"|a (?:stub|placeholder))\b"
    r"|\bskip (?:it|this|that|them|for)\b|\bwill (?:be (?:added|written|supplied|described)|follow|come)\b"
    r"|\b(?:comes?|follows?) later\b"
    r"|暂缺|暂无|空着|留空|留白|空缺|空位|占位|待定|待补|待写|待完善|待确定|未定|没有?(?:写|定|做|实现|想好)|还没|尚未|尚缺|未(?:写|实现|完成|确定)|略过|跳过"
    r"|先不(?:写|做|管)|补(?:上|充|写|齐)",
    re.IGNORECASE,
)
_STEMS = Stems(
    *"later soon now moment yet still once when until version release iteration far day being".split(),
    *"以后 回头 稍后 后续 今后 将来 日后 改天 下一 下版 下期 下个版本 再 等".split(),
)
_LATER = Gated(
    r"\bfor (?:now|the moment|the time being)\b|\blater\b(?! than)|\bsoon\b|\b(?:next|future|coming) (?:version"
    r"|release|iteration)\b"
    r"|\b(?:once|when|until) (?:we|the \w+(?: \w+)? (?:is|are|has|have)(?! (?:missing|blank|empty)))\b"
    r"|\b(?:not|never) (?:\w+ ){0,3}yet\b"
    r"|\bso far\b|^\W*still\b|\bsome day\b"
    r"|以后|回头|稍后|后续|今后|将来|日后|改天|下一?(?:版|期|个版本)|等[^，。]{1,15}再|再(?:补|写|做|加|定|完善|实现)",
    re.IGNORECASE,
    _STEMS,
)
_NOT_A_STUB = re.compile(
    r"\b(?:if|unless|user|users|customer|client|asks?|list|mark|find|detect|search|scan|tell|report|note|flag|warn"
    r"|never|don['’]t|do not|avoid|must"
    r"|you|your|status|fails?|failed|error|wait|retry|poll|cache|server)\b"
    r"|如果|若|凡|新增|时再|用户|客户|询问|标注|标为|记为|提示|告诉|不要|禁止|不得|查找|检查|状态",
    re.IGNORECASE,
)
_BARE_STEMS = Stems("to", *"待定 待补 待写 补 暂缺 空着".split())
_LONGEST = 220
_BARE = re.compile(
    rf"^[\W_]*(?:(?:still )?to be (?:{_MADE}|announced|continued)(?: later| soon)?|待定|待补|待写"
    r"|(?:内容)?(?:稍后|以后|后续"
    rf"|回头)(?:再)?补[上充]?|暂缺|先空着)[\W_]*$",
    re.IGNORECASE,
)


def postponements(file: SkillFile) -> Iterator[int]:
    """Give the line of each sentence, list entry or cell that only promises its content."""
    places = {said.line for said in statements(file, _STEMS) if len(said.text) < _LONGEST and _puts_off(said.text)}
    for number, line in _BARE_STEMS.prose(file):
        cells = cells_of(line) if is_row(line) else [strip_list_mark(line)]
        if any(map(_BARE.match, cells)):
            places.add(number)
    yield from (number for number in sorted(places) if not file.doc.is_counterexample(number))


def _puts_off(text: str) -> bool:
    return bool(_LATER.search(text) and _GAP.search(text) and not _NOT_A_STUB.search(text))
