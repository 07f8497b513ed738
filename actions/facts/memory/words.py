"""How skills speak of a run that is kept or lost, English and Chinese: one place for the words of each concept.

Each constant is a regex. The patterns of the family share them.
"""

import re

from actions.skill.stems import Gated, Stems

KEEPING = Stems(
    *"head mind memory context conversation chat session sitting remember heart mental save saving".split(),
    *"write writ wrote record store".split(),
    *"storing note noting log persist anything nothing snapshot checkpoint check back dump lost".split(),
    *"interrupt break broke crash compact".split(),
    *"abort clos window cut gone full end continu resum carr restor recover pick taken again anew".split(),
    *"afresh over scratch repeat".split(),
    *"day week month night evening year hour hundred thousand dozen page file record chapter book item".split(),
    *"document entr letter".split(),
    *"volume image interview article one stop pause through".split(),
    *"心 脑 对话 上下文 内存 会话 聊天 自己 凭记忆 记录 检查点".split(),
    *"存 断点 落盘 不写 什么都不 写入 一气呵成 一口气 连续 一次 不停 连着".split(),
    *"从头 重新 重头 从第一 只能从 必须从 需从 需要从 中断 关闭 压缩 换".split(),
    *"断开 丢失 退出 掉线 窗口 断线 无法 不能 没法 不支持 不可 同一".split(),
    *"天 周 星期 月 年 晚 历时 分 跨 隔夜 通宵".split(),
    *"个 份 页 篇 章 本 条 张 户 家 件 记".split(),
)
"""A word of each concept of keeping and losing stands in every sentence that can speak of it."""
OUTCOME = Stems(
    *"hand deliver send mail post publish upload present give submit ship return zip print show compar".split(),
    *"check verif validat".split(),
    *"review test proof inspect confirm assess match against through read see make ensure satisf tick".split(),
    *"point line one approv".split(),
    *"accept audit quality control evaluat score critique sanity correct look back need job task run".split(),
    *"work order case project".split(),
    *"skill process workflow everything that this finish stop close end once straight right immediate".split(),
    *"发 交 上线 导出 通知 告诉 告知 寄 提交 展示 出具 即 任务 流程".split(),
    *"到此 完毕 就算 收工 完事 一遍 一下 对着 直接 立即 对照 核 比对 检查 校 验 复核 审 逐 测试".split(),
    *"确认 对比 不再 无需 不必 不用 没".split(),
)
"""The same for what becomes of the outcome."""


def _of(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


def _held(by: str, *parts: str, beside: str = "") -> Gated:
    """Give a pattern behind its stems: one word of `by` stands in all that it meets, and one of `beside`."""
    return Gated("|".join(parts), re.IGNORECASE, *filter(None, (by, beside)))


IN_HEAD = _held(
    "head mind memory context conversation chat session remember heart mental 记 放 存 留",
    r"\b(?!(?:keep|hold)s? (?:this|that|it|these|in) (?:in )?mind\b)"
    r"(?:keep|hold|carry|store|leave|retain|stays?|kept|held|track|remain)s?\b[^.;]{0,60}\b(?:in|inside) (?:your"
    r" |the |its |one['’]s )?"
    r"(?:own )?(?:head|mind|memory|context|conversation|chat|session)\b",
    r"\b(?:keep|bear)s? in mind (?:which|what|where|how (?:many|far))\b"
    r"|\bremember (?:which|what|where|how (?:many|far))\b|记住[^。，；]{0,6}(?:哪|到第|做到|到了)",
    r"\b(?:you (?:will|['’]ll)|just|simply|only) remember\b|\bremember (?:as you go|for yourself|yourself|by"
    r" heart)|\bby heart\b"
    r"|\bmentally\b",
    r"(?:记|留|放|存|保留|保存|暂存)在(?:心里|脑子?里|脑中|脑海|对话|上下文|内存|会话|聊天)|(?:由你"
    r"|你)?自己记(?:住|着|得)|凭记忆|记在心",
)
"""Results or the state of the run are only remembered."""
NO_SAVE = _held(
    "save saving write writ record store storing stored note log persist kept point snapshot backup"
    " file 记录 检查点 存 断点 结果 落盘 记 写",
    r"\b(?:do not|don['’]t|never|no need to)\s+(?:save|write|record|store|note|log"
    r"|persist)\b[^.;,]{0,12}?\b(?:anything|results|progress|state|it|them|down)\b",
    r"\b(?:no|without(?: any)?|zero)\s+(?:intermediate |interim |partial )?(?:check-?points?|saves?|saving"
    r"|snapshots|records?|notes|(?:progress|state) files?|backups?)\b",
    r"\b(?:nothing|none of (?:it|this))\b[^.;]{0,20}\b(?:saved|written|recorded|stored|noted|logged|kept|persisted)\b",
    r"不(?:作|做|留|设|需|用|必|要|打)?(?:任何)?(?:中间)?(?:记录|检查点|存盘|断点|存档|中间结果|落盘|存进度)"
    r"|不保存(?:任何|中间)|什么都不(?:记|存|写)|不写(?:任何)?文件",
    beside="not don never no need without zero nothing none 不",
)
"""Nothing is written down on the way."""
LATE_SAVE = _held(
    "sav writ wrote stor record persist dump kept 存 写 落 记",
    r"\b(?:sav|writ|wrote|stor|record|persist|dump)\w*\b[^.;]{0,80}\b(?:only (?:then|once|when|after|at)|once,?"
    r" (?:after|at)|when (?:all|everything"
    r"|every|the last|(?:phase|step|stage|part|chapter) \w+) (?:\w+ ){0,3}(?:is|are|has|have|was)|at the (?:very"
    r" )?end|after the last)\b",
    r"\b(?:only|just) (?:the )?(?:final|last|finished) \w+ (?:is|are|gets?) (?:saved|stored|written|kept)\b",
    r"\b(?:only (?:then|once|when|after|at)|not before|until)\b[^.;:]{0,60}\b(?:sav|writ|stor|record|persist)\w*",
    r"(?:全部|全|都|所有|最后|结束|做完|处理完|完成)[^。；]{0,14}(?:才|再|统一|一次性|一并)[^。；]{0,8}(?:保存"
    r"|写入|落盘|存|记录|写)",
    beside="only once when end last just before until 才 再 统一 一次 一并",
)
"""What was found is written down at the end alone."""
THROUGH = _of(
    r"\bone after (?:another|the other)\b|\bwithout (?:stopping|a (?:stop|break|pause)|pausing|interruption"
    r"|breaks)\b|\bback to back\b|\bin (?:one|a single)"
    r" (?:go|pass|run|sitting|stretch|breath)\b|\bstraight through\b|\ball at once\b",
    r"一气呵成|一口气|连续完成|一次(?:性)?(?:做|跑|走)完|不停顿|中途不停|连着做",
)
"""All steps in one run."""
UNTIL = _of(
    r"\b(?:until|till|before|to the (?:very )?end)\b",
    r"直到|等|之前|完(?:了|后|再|才)|再|全部",
)
ANEW = _of(
    r"\b(?:start|begin|begun|began|begins|starts|started|beginning|starting|restart\w*|run|redo|redone|repeat\w*"
    r"|do)\b[^.;,]{0,40}\b(?:over|anew|afresh"
    r"|again|from (?:scratch|zero|the (?:start|beginning|top|first)|step (?:1|one)|phase (?:1|one)))\b|\bfrom"
    r" scratch\b",
    r"从头(?:再)?(?:来|开始|做|跑)|重新(?:开始|来过|再来|上传|做|走|跑|发)|从第一(?:步|阶段|章|页)(?:重新)?(?:开始"
    r"|做|来)?|重头再来|(?:只能|必须|需要?)从[^。；，]{1,10}开始",
)
"""The run begins at its beginning."""
BROKEN = _held(
    "lost interrupt break broke crash compact abort clos session conversation chat window context cut"
    " 中断 关闭 压缩 换 断开 丢失 退出 掉线 会话 对话 窗口 断线",
    r"\b(?:lost|interrupt\w*|breaks? off|broken off|broke off|crash\w*|compact\w*|aborted|clos(?:e|es|ed)|(?:new"
    r"|another|next|later|other) (?:session|conversation|chat"
    r"|window)|session ends|cut off|(?:conversation|chat|session|context)\b[^.;]{0,20}\b(?:ends?|full|gone))\b",
    r"中断|关闭|压缩|换(?:了|个|新|成)*(?:会话|对话|窗口)|断开|丢失|退出|掉线|新(?:会话|对话|窗口)|断线",
)
"""The run is broken off, or its context is gone."""
NO_RETURN = _held(
    "cannot can could not no impossible never 法 不能 不支持 不可",
    r"\b(?:cannot|can['’]t|can not|could not|not|no way to|impossible to|never)\s+(?:be\s+)?(?:continu\w*|resum\w*"
    r"|take[n]? over|pick(?:ed)? up|carr(?:y|ied) (?:over|on)"
    r"|go on|restor\w*|recover\w*)\b",
    r"(?:无法|不能|没法|不支持|不可)(?:再)?(?:接续|继续|恢复|续|接着|断点)",
    beside="continu resum take pick carr go restor recover 续 恢复 接 断点",
)
"""What was begun can not be gone on with."""
ONE_TALK = _held(
    "conversation session sitting chat context 对话 会话 聊天 窗口",
    r"\b(?:finish\w*|complet\w*|do|done|run|handled?|through)\b[^.;]{0,40}\b(?:in|within) (?:one|a single|the same"
    r"|this) (?:conversation|session|sitting|chat|context)\b",
    r"(?:一次|同一个?)(?:性)?(?:对话|会话|聊天|窗口)(?:里|中|内|之内)?[^。；]{0,4}(?:完成|做完|跑完|走完|完)",
    beside="finish complet do done run handle through 完",
)
"""The run must end where it began."""
LONG = _held(
    "day week month night evening session year hour 天 周 星期 月 年 晚 历时 分 跨 隔夜 通宵",
    r"\b(?:\d+|a few|several|many|two|three|four|five|six|seven|eight|ten|some)(?:\s(?:or|to)\s\w+"
    r"|[-–]\d+)?\s+(?:working )?(?:days|weeks|months|nights|evenings"
    r"|sessions|years)\b|\b(?:takes?|lasts?|runs?|over|for|across) (?:\w+ ){0,2}(?:days|weeks|months|hours"
    r"|sessions|years)\b|\bovernight\b|\bmulti-(?:day|session|week)\b",
    r"(?:数|几|两|三|四|五|六|七|八|九|十|两三|好几|\d+)个?(?:天|周|星期|月|年|晚)(?:内|里|才|完|做|的|：|，)|历时"
    r"|分[^。，；]{1,3}[天次]|跨(?:天|会话|周|月)|隔夜|通宵",
)
"""The work takes days, or more than one session."""
MANY = _held(
    "hundred thousand dozen page file record chapter book item document entr letter volume image interview article"
    " 个 份 页 篇 章 本 条 张 户 家 件",
    r"\b(?:hundreds|thousands|dozens) of\b|\b(?:\d{2,}|\d[\d,]{3,}|twenty|thirty|forty|fifty|sixty|hundred"
    r"|thousand)\s+(?:[a-z]+\s)?(?:pages|files|records|chapters|books"
    r"|items|documents|entries|letters|volumes|images|interviews|articles)\b",
    r"(?:[二三四五六七八九]?[十百千万]+|\d{2,})(?:个|份|页|篇|章|本|条|张|户|家|件)",
)
"""There is much of a kind to do."""
NOT_SO = _of(
    r"\b(?:do not|don['’]t|never|must not|no need to|without having to|instead of|rather than|avoid|not have"
    r" to)\s+(?:\w+\s){0,3}$",
    r"(?:不要|不必|无需|不用|切勿|避免|而不是|不得|禁止|不能|别)[^，。；]{0,4}$",
)
"""What stands before a word turns it round."""
FILES = _of(
    r"\b(?:users?|asks?|wants?|corrupt\w*|damaged|missing|invalid|stale|file|state|checkpoint)\b|\.(?:json|md"
    r"|ya?ml|txt|csv)\b|用户|损坏|文件|状态|检查点"
)
"""It is the user's wish, or a file that is no good, that the run begins anew for."""
DELIVERS = _of(
    r"\b(?:hand(?:s|ed)? (?:\w+ ){0,4}(?:over|out|to)|deliver\w*|sends?|mails?|e-?mails?|posts?|publish\w*"
    r"|uploads?|presents?|gives? (?:\w+ ){1,4}to|submits?"
    r"|ships?|returns? (?:\w+ ){1,4}to|zip|prints?|shows?|says? where|names? the (?:path|file|place))\b",
    r"发(?:送|出|给|布)|交(?:付|给|到)|展示|出具|上线|导出|通知|告诉|告知|寄|提交|发完",
)
"""The outcome leaves the run."""
CLOSED = _of(
    r"\b(?:job|task|run|work|order|case|project|skill|process|workflow|everything|that|this)\b[^.;]{0,24}\b(?:is"
    r"|are|counts as|has been)\s+(?:\w+\s)?(?:finished|done|closed"
    r"|complete[d]?|over|fulfilled|all|the end|settled)\b|\band (?:then )?(?:finish|stop|close|end)\b(?: (?:the"
    r"|there|here)\b)?|\bthat is (?:all|it)\b|\bat once\b"
    r"|\bstraight ?away\b|\bright away\b|\bimmediately\b|\bas (?:it|they) (?:is|are)\b",
    r"即(?:告)?(?:可)?(?:完成|结束)|任务(?:即)?(?:结束|完成)|流程(?:到此)?(?:结束|完成)|到此(?:为止|结束)|完毕"
    r"|就算(?:完成|结束)|收工|收尾走人|完事|直接(?:发|交|上|提交|导)|立即(?:发|交|上|提交)",
)
"""With that the run is over."""
CHECKS = _of(
    r"\b(?:compar\w+|check(?:s|ed|ing)?|verif\w+|validat\w+|review\w*|test(?:s|ed|ing)?|proof-?read\w*|inspect\w*"
    r"|confirm\w*|assess\w*|match(?:es|ed)?|against|go(?:es)? through"
    r"|walk through|read (?:\w+ ){0,5}again|re-?read|see (?:that|whether|if)|make sure|ensure|satisf\w+|tick(?:s"
    r"|ed)? off|point by point|line by line|one by one|approv\w+|accept\w*"
    r"|audit\w*|quality gate|cross-?check\w*|control\w*|evaluat\w*|score[sd]?|critique\w*|sanity|correct\w*)\b",
    r"对照|核对|比对|检查|校对|校验|验证|验收|复核|审阅|审核|审查|逐项|逐条|测试|确认|核实|对比|核查",
)
"""Somebody looks whether the outcome is right."""
ASKED = _of(
    r"\b(?:requests?|wish(?:es)?|asked|wanted|brief|requirements?|goals?|criteria|checklist|order|mandate"
    r"|expectations?|objectives?|ask|intent|plan|spec\w*|commission)\b",
    r"要求|需求|请求|委托|原话|目标|任务书|诉求|意图|标准",
)
"""What the user asked for."""
NO_LOOK = _of(
    r"\b(?:no need to|do not|don['’]t|without|never|needn['’]t|need not|no)\s+(?:\w+\s){0,2}?(?:look(?:ing)?"
    r" (?:back|at it again)|go(?:ing)? back|re-?read\w*|check(?:ing)?"
    r"|compar\w+|(?:another|second|further|final) (?:look|check|review)|review(?:ing)?|verif\w+)\b",
    r"(?:不再|无需|不必|不用|没(?:有)?必要|不需要?|不)(?:再|去|做|进行)?(?:回看|核对|对照|检查|复核|比对|回头|校对"
    r"|验收)",
)
"""Nobody shall look."""
