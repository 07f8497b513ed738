"""Recognize passwords with brackets, commas and other punctuation in the middle, as password managers make them.

Such a value ends at its closing quote, or without quotes at white space. It is neither a variable, a path, a call, a
template nor an expression. Every quantifier is bounded, because a line may be long and hostile.
"""

from actions.regex import regex
from actions.secrets.calls import PASSED, SETTER
from actions.secrets.commands import OPTION
from actions.secrets.names import SECRET_KEY_NAME
from actions.secrets.values import SAID, TYPE

_END = r"(?:[\s\"'`\\]|$)"
_TEMPLATE = (
    r"[^\s\"'`]{0,200}(?:[$%][{(]|\{\{|\}\}|<[%/]|/>|\{[\w.:!]{0,40}\}|a-z|A-Z|0-9|=>|->|\(\)|\[\]|\.\.\.|://|&&|\|\|"
    r"|<[A-Za-z][\w-]{0,40}>)"
)
"""A text with a placeholder, a class of an expression, an arrow, an address or an element."""
_PATH = rf"[$~.]{{0,3}}/?[\w.@*-]{{0,60}}(?:/[\w.@*-]{{0,60}}){{1,20}}[,;:)\]}}]{{0,3}}{_END}"
_NAME = rf"[$@.*/]{{0,2}}[A-Za-z_][\w.$-]{{0,80}}[!?]?[,;:)\]}}>]{{0,4}}{_END}"
_CALL = rf"!?[$@]?[A-Za-z_][\w.$]{{0,80}}[(\[<{{][^\s\"'`]{{0,200}}[)\]>}}][,;:)\]}}]{{0,3}}{_END}"
"""A call, an index or a type."""
_NUMBERS = rf"[\d.,;:(){{}}\[\]-]{{1,60}}{_END}"
_PUNCTUATED = (
    rf"(?!https?:|{_TEMPLATE}|{_PATH}|{_NAME}|{_CALL}|{_NUMBERS})(?=[^\s\"'`]{{0,200}}[A-Za-z])"
    r"(?=[^\s\"'`]{0,200}[{}()<>\[\],;!@#%^&*+=?|~]|[$/.~*])"
)
"""What is not one of these, and contains a letter and a character at which other values end."""
_IN_QUOTES = "|".join(
    rf"\\{{0,4}}{quote}{_PUNCTUATED}(?=[^{quote}\s]{{0,200}}[^{quote}a-z_ .,:;()-])"
    rf"[^{quote}\s\\]{{6,400}}(?=\\{{0,4}}{quote})"
    for quote in ('"', "'", "`")
)
_MIXED = r"(?=\S{0,200}\d|(?=\S{0,200}[a-z])(?=\S{0,200}[!@#%^&*+?|~])\S{0,200}[A-Z])"
_NO_CODE = r"(?!\w{0,60}[(\[{]|<[^\s>]{0,200}(?:\s|$))"
_BARE = rf"{_PUNCTUATED}{_MIXED}{_NO_CODE}[^\s\"'`\\]{{6,400}}(?=[\s,;)\]}}]|$)"
FORMS = (
    regex(rf"(?i:{SECRET_KEY_NAME})\]?\s{{0,20}}{TYPE}[:=]{{1,3}}>?\s{{0,20}}[brfu]?(?:{_IN_QUOTES})"),
    regex(rf"(?i:{SECRET_KEY_NAME})(?:=|:[ \t]{{1,20}}|：[ \t]{{0,20}}|[ \t]{{0,20}}=[ \t]{{1,20}}){_BARE}"),
    regex(
        rf"(?i:<(?:\w{{1,40}}[:.])?{SECRET_KEY_NAME}>)(?![$<{{%]|[\w.]{{1,60}}\()(?=[^\s<]{{0,200}}[A-Za-z])"
        r"(?=[^\s<]{0,200}[^\s<\w./:-])[^\s<]{6,400}</"
    ),
    regex(rf"(?:(?:{PASSED}|{SETTER})[brfu]?|{OPTION}|{SAID})(?:{_IN_QUOTES})"),
)
"""A value behind its name, in an element, in a call that sets it, after an option, or in a sentence."""
