"""What a clause is about: stems of the words that carry meaning, words for one thing made one.

For comparing places that say a thing in other words: two numbers, an order and a prohibition, a text and a script.
"""

import re
from functools import lru_cache

from actions.skill.text import strip_list_mark

_FILLER = frozenset(
    "a an the of to in on at for from with by as per into onto upon off out up than then so and or nor but also"
    " too its it"
    " this that these those there here which who whom whose what how be is are was were been being am has have had"
    " do does"
    " did done must shall should may might can could will would not never no only always just very each every any"
    " all both"
    " either some such same own other another we you your our they their them he she his her i us one go goes went"
    " come"
    " comes came give gives given get gets got make makes made let set sets use uses used using take takes taken"
    " please"
    " about around again more most less least older younger away later earlier fewer above below over under within"
    " beyond until till before after during"
    " upwards downwards minus plus up down exceed exceeds maximum minimum max min limit limited limits cap capped"
    " exactly"
    " once they'd now when while if whether where long old new value values number count total default defaults amount"
    " stand stands appear appears forbidden prohibited allowed already still too many much ever without".split()
)
_GROUPS = (
    "store keep kept storage hold held stored storing keeping",
    "try tries tried trying retry retries retried retrying attempt attempts attempted",
    "reply replies replied answer answers answered respond responds response responses",
    "delete deletes deleted deleting remove removes removed removing erase erases erased discard discards"
    " discarded drop"
    " drops dropped purge destroy destroyed",
    "change changes changed changing modify modifies modified modifying edit edits edited editing alter alters altered"
    " altering touch touches touched correct corrects corrected correcting amend amends amended rewrite rewritten",
    "show shows showed shown showing display displays displayed reveal reveals revealed disclose disclosed visible"
    " appear"
    " print prints printed",
    "ask asks asked asking consult consults consulted",
    "send sends sent sending mail mailed email emailed submit submits submitted",
    "write writes wrote written writing",
    "start starts started starting begin begins began begun launch launches launched",
    "finish finishes finished end ends ended complete completed",
    "skip skips skipped skipping omit omits omitted leave leaves left",
    "fail fails failed failing failure failures",
    "wait waits waited waiting",
    "file files document documents",
    "mean means meant",
    "throw thrown threw",
    "pay paid pays",
    "sell sold",
    "buy bought",
    "build built",
    "find found",
    "draw drawn drew",
    "choose chosen chose",
    "lose lost",
    "freeze frozen",
    "break broken broke",
    "feed fed",
    "cut cutting",
    "put putting",
    "run ran running",
    "wash washing washed",
    "read reading reads",
    "speak spoken",
    "wear worn",
    "say said says",
    "tell told",
    "child children",
    "person people persons",
    "datum data",
)
_ONE = {word: group.split()[0] for group in _GROUPS for word in group.split()}
_CHINESE_GROUPS = (
    ("改动", "修改", "更改", "变更", "改正", "改写", "编辑", "更正", "改"),
    ("删除", "移除", "清除", "删掉", "销毁"),
    ("显示", "展示", "出现", "公开", "透露", "披露", "写出"),
    ("询问", "征求", "请示"),
    ("发送", "寄送", "发给", "发出"),
    ("保存", "存放", "保留", "储存", "存储"),
)
_CHINESE_ONE = {word: group[0] for group in _CHINESE_GROUPS for word in group}
_CHINESE_WORD = re.compile("|".join(sorted(_CHINESE_ONE, key=len, reverse=True)))
_CHINESE_FILLER = re.compile(
    r"必须|务必|应当|应该|可以|不得|不能|不要|不可|不许|禁止|严禁|切勿|请勿|绝不|不超过|不少于|超过|至少|至多|最多"
    r"|最少|最大|最小|上限|下限"
    r"|以内|之内|以上|以下|之后|之前|期限|时限|时间|所有|任何|每个|每次|每一|全部|一律|始终|统一|立即|马上|直接"
    r"|一并|任何情况下|情况下|进行"
    r"|其中|如果|或者|以及|并且|然后|这里|审查时|按照|按|每|各|都|也|就|才|再|先|后|内|须|应|要|请|的|了|和|与|或"
    r"|在|对|把|将|是|为|中|里|等|其"
    r"|被|由|从|到|上|下|及|并|则|者|个|作|做|时|予以|掌握|以"
)
_WORD = re.compile(r"[a-z][a-z0-9]*(?:['’][a-z]+)?|[a-z0-9]+(?=[a-z])|[\u3400-\u9fff]+")


@lru_cache(maxsize=8192)
def senses(text: str) -> frozenset[str]:
    """Give the stems of what a text speaks of; of Chinese, the pairs of characters between words without meaning."""
    found: set[str] = set()
    for word in _WORD.findall(strip_list_mark(text.replace("_", " ").replace("-", " ")).lower()):
        if word[0] >= "\u3400":
            one = _CHINESE_WORD.sub(lambda match: f" {_CHINESE_ONE[match[0]]} ", word)
            for run in _CHINESE_FILLER.sub(" ", one).split():
                found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        elif word not in _FILLER and not word.endswith(("n't", "n’t")):
            found.add(stem(word))
    return frozenset(found)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Give one form for the forms of an English word and its synonyms."""
    word = word.removesuffix("'s").removesuffix("’s")
    if word in _ONE:
        return _ONE[word]
    for endings in ((("ies", "y"), ("es", ""), ("s", "")), (("ing", ""), ("ed", ""))):
        ending, kept = next((pair for pair in endings if word.endswith(pair[0])), ("", ""))
        if ending and not word.endswith("ss") and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + kept
    word = _ONE.get(word, _ONE.get(word + "e", word))
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "aeiols":
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 and word not in _ONE.values() else word
