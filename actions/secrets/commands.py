"""Recognize secrets that a command gets: after a switch or an option, as a setting, through a pipe.

Every quantifier is bounded, because a line may be long and hostile.
"""

from actions.regex import regex
from actions.secrets.names import LETTER_AND_DIGIT, QUOTE, SECRET_KEY_NAME

_SWITCH_VALUE = rf"{QUOTE}(?![-$<\"'`])"
_ARGUMENT_CHARACTER = r"(?:[^\r\n;&|]|(?<=\\)\n)"
"""A character of the arguments of one command, which may continue on the next line."""
_LOGIN_COMMAND = regex(
    rf"(?i)\b(?:docker|podman|buildah|nerdctl|skopeo|oras|helm registry|az|az acr|oc|cf)\s{{1,3}}login\b"
    rf"{_ARGUMENT_CHARACTER}{{0,200}}?\s(?:-p|--password)(?:\s{{1,3}}|=)"
    rf"{_SWITCH_VALUE}(?!\d{{1,5}}(?:\s|$))[^\s\"'`<>]{{4,400}}"
    rf"|\bredis-cli\b{_ARGUMENT_CHARACTER}{{0,200}}?\s(?:-a|--pass)(?:\s{{1,3}}|=){_SWITCH_VALUE}[^\s\"'`<>]{{4,400}}"
    rf"|\bmongo\w{{0,20}}\b{_ARGUMENT_CHARACTER}{{0,200}}?\s-p\s{{0,3}}{_SWITCH_VALUE}{LETTER_AND_DIGIT}[^\s\"'`<>]{{6,400}}"
    rf"|\bldap[a-z]{{3,10}}\b{_ARGUMENT_CHARACTER}{{0,200}}?\s-w\s{{0,3}}{_SWITCH_VALUE}{LETTER_AND_DIGIT}[^\s\"'`<>]{{6,400}}"
)
"""A password after a switch of a command that logs in."""
_WORD_VALUE = rf"(?![-$<{{(/.~*`]|https?:|\w{{1,40}}=){LETTER_AND_DIGIT}[^\s\"'`<>{{}}()|]{{6,400}}"
"""A value with a letter and a digit."""
OPTION = (
    r"(?i:(?<![\w-])--?(?:[a-z0-9]{1,20}-){0,4}(?:passw(?:or)?d|passwd|passphrase|passcode|secret|token|credentials?|pw|pwd"
    r"|(?:api|access|private|secret|auth|account|encryption)-?key)(?:\s{1,3}|=|:))"
)
"""An option named password, passphrase, token or the like, whose value follows."""
_OPTION = regex(rf"{OPTION}{QUOTE}{_WORD_VALUE}")
_SETTING = regex(
    r"(?i)(?:\bsetx|\bsetenv|\bset\s{1,3}-[a-z]{1,6}"
    r"|\b(?:config|configure|secrets?|env|vars?|variables?)[ :](?:set|add|put|create))\s{1,3}"
    rf"[\"']?[\w./:-]{{0,60}}?{SECRET_KEY_NAME}\s{{1,3}}(?:--?b(?:ody)?\s{{1,3}})?{QUOTE}{_WORD_VALUE}"
)
"""A variable or a setting with its value after a space: `setx API_KEY …`, `npm config set //host/:_authToken …`."""
_PIPE = regex(
    rf"\b(?:echo|printf)\s{{1,3}}(?:-\w{{1,3}}\s{{1,3}}|[\"']%s(?:\\n)?[\"']\s{{1,3}})?{_SWITCH_VALUE}[^\s\"'`<>|]{{4,400}}[\"']?\s{{0,3}}\|\s{{0,3}}"
    r"(?:sudo\b[^\r\n|]{0,100}?\s-\w{0,5}S|[^\r\n|]{0,200}?\s--?(?:password-stdin|with-token|passphrase-fd|stdin\b|pass(?:in|out)?\s{1,3}stdin))"
    rf"|\b(?:sudo|su)\b[^\r\n|<]{{0,100}}?\s-\w{{0,5}}S[^\r\n|<]{{0,100}}?<<<\s{{0,3}}{_SWITCH_VALUE}[^\s\"'`<>|]{{4,400}}"
)
"""A password that a command reads from its input: `echo … | sudo -S`, `… | docker login --password-stdin`."""
FORMS = (_LOGIN_COMMAND, _OPTION, _SETTING, _PIPE)
