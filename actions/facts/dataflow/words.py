"""The words, English and Chinese, by which skills say that something is put down, taken up, asked for or listed."""

import re

PUTS = (
    r"\b(?:re-?)?(?:writ(?:e|es|ing|ten)|wrote|sav(?:e|es|ed|ing)|stor(?:e|es|ed|ing)|persists?|persisted|keeps?"
    r"|kept|put|puts|places?"
    r"|creat(?:e|es|ed|ing)|generat(?:e|es|ed|ing)|produc(?:e|es|ed|ing)|outputs?|emits?|exports?|exported"
    r"|dump(?:s|ed|ing)?"
    r"|record(?:s|ed|ing)?|notes?(?= (?:down|the|it|them|in|as|each|every|what|which|who|how)\b)|logs?|logged"
    r"|append(?:s|ed)?"
    r"|goes (?:to|in|into)|go (?:to|in|into)"
    r"|updat(?:e|es|ed|ing)|initiali[sz]es?|collects?|copy|copies|leaves?|left)\b"
    r"|写入|写到|写进|写在|写|保存|生成|输出|产出|创建|存入|存到|存进|存为|存成|存作|记成|写成|列成|收进|存(?=\s?[`“\"])|存储|另存|存放|存在|记录|记入|记到|记在|记进|登记到"
    r"|放入|放进|放到|更新|落盘"
    r"|导出|追加|初始化|填入"
)
"""Somebody makes a file or field, or gives it new content."""
TAKES = (
    r"\b(?:re-?)?(?:read|reads|reading|load|loads|loaded|loading|pars(?:e|es|ed|ing)|consum(?:e|es|ed|ing)"
    r"|open(?=[ `]+)|opens|fetch(?:es)?"
    r"|uses?|used|using|from|based on|by|inputs?|takes?|see|check|checks|review|validates?|verify|verifies|inspect"
    r"|scan|merges?|combines?"
    r"|aggregates?|iterates? over|compares?|per|against|picks? up|looks? (?:at|up|into)|works? (?:on|through|from)"
    r"|go(?:es)? through)\b"
    r"|读取|读入|读回|读出|读|打开|加载|载入|解析|使用|基于|根据|按照|按|拿|对照|念|参考|输入|来自|取自|取出|从|检查|校验|合并|汇总|消费|据"
)
"""Somebody needs the content of a file or field."""
OUTPUT = (
    r"outputs?|output files?|writes?(?: to)?|produces?|deliverables?|artifacts?|leaves(?: behind)?|leaves? for \w+"
    r"|makes|gives|yields|returns"
    r"|results?|hands (?:on|over)|fills|sets|stores?|saves?(?: as| to)?|saved (?:as|to|in)|stored (?:as|in)"
    r"|kept in|written to|creates"
    r"|输出|产出|产物|生成|写入|写出|留下|交出|得到|结果|保存到?|存放|存于|记入|交付物?"
)
"""The head of a column, or a label, of what a step leaves."""
INPUT = (
    r"inputs?|input files?|reads?(?: from)?|consumes?|requires?|prerequisites?|needs?|takes?|uses?|expects?"
    r"|receives?|gets|depends on|from"
    r"|输入|读取|依赖|需要|取用|使用|接收|读入|消费|前提|所需"
)
"""The head of a column, or a label, of what a step needs."""
ASKS = (
    r"\b(?:if|when|while|until|unless|whether|once|in case|as (?:soon|long) as|provided|depending on)\b|如果|假如"
    r"|倘若|若|当|直到|是否|一旦|除非|只要|视"
)
"""A condition follows."""
STATE = re.compile(r"\bstate\b|状态", re.IGNORECASE)


def label(words: str) -> re.Pattern[str]:
    """Give the regex of a text that is such a label and nothing more: `**Output** (JSON):`."""
    return re.compile(rf"^\W*(?:{words})\W*(?:\([^)]*\))?\W*$", re.IGNORECASE)
