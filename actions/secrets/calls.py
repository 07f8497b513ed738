"""Recognize values beside a name that says secret in calls, defaults and comparisons: `getenv("API_KEY", "…")`.

Every quantifier is bounded, because a line may be long and hostile.
"""

from actions.regex import regex
from actions.secrets.names import LETTER_AND_DIGIT, SECRET_KEY_NAME

_VALUE = (
    r"(?![$<{(/.~*]|https?:|[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,20}[\"'`])"
    rf"{LETTER_AND_DIGIT}[^\s\"'`<>{{}}()]{{6,400}}"
)
"""A value with a letter and a digit that is no name of a variable."""
PASSED = (
    r"(?:[Ee]nv|ENV|[Gg]et|[Ss]et|[Dd]efault|[Dd]efine|[Ff]etch|[Vv]ar|[Cc]onfig|[Oo]ption|[Ii]tem|[Pp]roperty|[Hh]eader|[Aa]dd|[Pp]ut)"
    rf"\(\s{{0,20}}[\"'`][\w.:/-]{{0,60}}?(?i:{SECRET_KEY_NAME})\s{{0,3}},\s{{0,20}}"
)
"""A name in a call that reads, sets or defines the value beside it: `getenv("KEY", "…")`, `define('DB_PW', '…')`."""
_PASSED = regex(rf"{PASSED}[brfu]?[\"'`]{_VALUE}")
_OPTION_DEFAULT = regex(
    rf"[\"'`]--?[\w-]{{0,60}}?(?i:{SECRET_KEY_NAME})[^()]{{0,200}}?\bdefault(?:_value)?\s{{0,3}}[=:]\s{{0,3}}[brfu]?[\"'`]{_VALUE}"
    rf"|\bvariable\s{{1,3}}\"\w{{0,60}}?(?i:{SECRET_KEY_NAME})\s{{0,3}}\{{[^{{}}]{{0,200}}?\bdefault\s{{0,3}}=\s{{0,3}}\"{_VALUE}"
)
"""The default of an option or a variable: `add_argument("--api-key", default="…")`, `variable "db_password" {…}`."""
_DEFAULT = regex(
    rf"(?i:{SECRET_KEY_NAME})[`\])]{{0,3}}\s{{0,5}}(?:\bor\b|\|\||\?\?|\?:)\s{{0,20}}[brfu]?[\"'`]{_VALUE}"
    rf"|\$\{{\w{{0,60}}?(?i:{SECRET_KEY_NAME}):?[-=][\"']?{_VALUE}\"?'?\}}"
)
"""A value for a name without one: `process.env.API_KEY || "…"`, `${API_KEY:-…}`."""
_COMPARED = regex(
    rf"(?i:{SECRET_KEY_NAME})[)\]]{{0,3}}(?:\s{{0,5}}(?:[!=]==|!=|-eq|-ne|-c?eq|eq|ne)\s{{1,5}}|\.equals(?:IgnoreCase)?\()[brfu]?[\"'`]{_VALUE}"
)
"""A value to which a name is compared: `password !== "…"`, `token.equals("…")`."""
SETTER = rf"(?:\b[Ss]et_?|\.)(?i:{SECRET_KEY_NAME})\(\s{{0,20}}"
"""A call that is named after the value in it: `setPassword("…")`, `.password("…")`."""
_SET = regex(rf"{SETTER}[brfu]?[\"'`]{_VALUE}[\"'`]")
FORMS = (_PASSED, _SET, _OPTION_DEFAULT, _DEFAULT, _COMPARED)
