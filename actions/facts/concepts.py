"""Words for one thing: the synonyms, English and Chinese, by which skills speak of agents, prompts and whole texts.

Each name is a fragment of a regex without groups that catch, for use inside `\\b(?:…)\\b`; the Chinese ones (`_ZH`)
need no borders.
"""

import re
from functools import lru_cache

AGENT = (
    r"(?:sub-?)?agents?|workers?|teammates?|reviewers?|explorers?|researchers?|planners?|implementers?|executors?"
    r"|analysts?"
    r"|(?:critic|judge|writer|editor|drafter|translator|tester|verifier|summari[sz]er|helper)(?= agents?\b"
    r"|['’]s? (?:prompt|task))"
    r"|helpers(?!\s+(?:functions|scripts|methods|classes|modules|tools|for|in|from))"
)
AGENT_ZH = r"代理|智能体|[Aa]gent|帮手"
PROMPT = (
    r"prompts?|briefs?|briefings?|task (?:descriptions?|texts?)|(?:its|their|the agent['’]?s?) task"
    r"|(?:agent|worker|reviewer|planner|researcher)['’]?s?['’]? (?:instructions?|messages?|contexts?|inputs?|task)"
    r"|(?:instructions?|messages?) (?:to|for|of) (?:the|each|every|a|its) (?:sub-?)?(?:agent|worker|reviewer"
    r"|planner|researcher)s?"
)
PROMPT_ZH = r"提示词|提示语|[Pp]rompt|任务(?:说明|描述|书|里|中|内)|(?:代理|智能体)的?(?:指令|上下文|输入|任务|提示)"
WHOLE = r"full|entire|complete|whole|raw|verbatim|unabridged|uncut|untrimmed|unshortened|unfiltered"
WORD_FOR_WORD = (
    r"in full|in (?:its|their) entirety|verbatim|word for word|line (?:by|for) line|letter (?:by|for) letter"
    r"|unabridged|uncut|untrimmed|unshortened"
    r"|from (?:the )?(?:start|top|beginning|first)(?: \w+){0,2} to (?:the )?(?:end|bottom|finish|last)(?: \w+)?"
    r"|from (?:cover to cover|end to end)"
    r"|cover to cover|all keys and values|(?:with )?(?:all|every) (?:its |of its |their )?(?:keys?|fields?|values?"
    r"|lines?|words?)"
)
WHOLE_AFTER = rf"{WORD_FOR_WORD}|completely|entirely|fully|as (?:it|they) stands?"
WHOLE_ZH = (
    r"完整|全部|整个|整篇|整份|整段|整本|整篇|全量|全文|原文|原话|逐字|一字不(?:漏|差|落|改)|原样|原封不动"
    r"|从头到尾|首尾相接|悉数|一并|一股脑|照搬"
)
TEXT = (
    r"contents?|texts?|bod(?:y|ies)|sources?|source code|codes?|codebases?|files?|documents?|docs?|documentation"
    r"|pages?|letters?"
    r"|e?mails?|drafts?|manuscripts?|chapters?|articles?|papers?|reports?|analys[ei]s|transcripts?|conversations?"
    r"|threads?"
    r"|dialogues?|logs?|log lines|outputs?|results?|responses?|answers?|replies|findings|notes|minutes|specs?"
    r"|specifications?"
    r"|plans?|designs?|contracts?|policies|policy|submissions?|entries|records?|datasets?|tickets?|wikis?|books?"
    r"|stories|histor(?:y|ies)"
    r"|sections?|clauses?|wording|testimon(?:y|ies)|statements?|protocols?"
)
TEXT_ZH = (
    r"内容|文本|正文|原文|全文|报告|输出|结果|文件|文档|源码|代码|日志|对话|记录|稿件|章节|合同|邮件|信件|分析"
    r"|资料|数据|方案|条款|原话"
)
EVERY = r"all|every|each|both"
EVERY_ZH = r"所有|每|各|全部|逐"

_NO_CUT = re.compile(
    r",?\s*(?:and |but )?\b(?:do not|don['’]t|never|without|no)\s+(?:ever\s+)?(?:summari[sz]\w*|summary|shorten\w*"
    r"|abridg\w*|trim\w*|cut\w*|truncat\w*"
    r"|paraphras\w*|condens\w*|abbreviat\w*|excerpt\w*|leav\w+ (?:any|some)thing out|omit\w*)\b(?:\s+(?:it|them"
    r"|anything|any of it))?"
    r"|[，、]?\s*(?:不要|不得|不必|无需|不做|不作|不加|不)(?:进行|做|作)?任?何?(?:总结|概括|删减|省略|压缩|缩写"
    r"|截断|摘要|裁剪|精简|清理)"
    r"|[，、]?\s*(?:一[个份篇张条页]?)?[也都]?不(?:要|能|得|可|许|准)?(?:漏掉?|遗漏|落下|跳过|少)(?=[，。；、！]|$)",
    re.IGNORECASE,
)
_SET_ASIDE = re.compile(
    r"[,;(—–]?\s*\b(?:and |but )?(?:not|never|rather than|instead of|no)\s+(?!only\b)[^.,;:()—–]{1,80}"
    r"|[，、]?(?:而不是|而非|不是|并非|不贴|不带|不放|不传|不附)[^，。；、]{1,30}",
    re.IGNORECASE,
)
_SETS_ASIDE = re.compile(r"\b(?:not?|never|without|don|rather|instead)\b|[不非无]", re.IGNORECASE)
"""Stands in whatever the two above meet, and is looked for far quicker."""


@lru_cache(maxsize=8192)
def as_meant(sentence: str) -> str:
    """Give a sentence without what it sets aside (`not its path`); "do not shorten it" becomes `verbatim`."""
    if not _SETS_ASIDE.search(sentence):
        return sentence
    return _SET_ASIDE.sub("", _NO_CUT.sub(lambda m: " verbatim" if m[0].isascii() else "原样", sentence))
