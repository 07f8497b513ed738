"""Hide secrets in quotes from a session."""

from actions.regex import regex
from actions.secrets import hide_secrets
from actions.secrets.names import AUTHORIZATION_SCHEME, NAME_OF_WORDS, PLAIN_ADDRESS, REFERENCE

HIDDEN = "[hidden]"
_NAME = r"[A-Za-z]{1,20}\d{0,3}(?:[_-]{1,2}(?:[A-Za-z]{1,20}\d{0,3}|\d{1,6})){3,30}(?![\w-])"
"""A name of at least four words and numbers: of a test, a branch, or an MCP tool. In a key, digits stand anywhere."""
_TOKEN = regex(
    rf"\b(?:sk-(?!{NAME_OF_WORDS})[A-Za-z0-9_-]{{8,}}"
    r"|gh[opsur]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{12,}|xox[abeoprs]-[\w-]{8,}"
    r"|A(?:KIA|SIA)[A-Z0-9]{12,}|AIza[\w-]{20,}|npm_[A-Za-z0-9]{20,}|pypi-[\w-]{16,}|hf_[A-Za-z0-9]{16,}"
    rf"|(?<!-)eyJ[\w-]{{8,}}\.[\w-]{{4,}}(?:\.[\w-]*)?"
    rf"|(?<![\w-])(?=[A-Za-z_-]*\d)(?=[\da-z_-]*[A-Z])(?!{_NAME})[\w-]{{40,}})"
)
"""Keys in the formats of known services, and long words of letters and digits."""
_NO_VALUE = (
    r"(?:\$|<[\w -]{1,40}>"
    r"|(?:none|null|nil|true|false|yes|no|undefined|inherit|include|omit|same-origin|required|optional|string|str|bool|read|write)(?![\w.-])"
    r"|(?:[a-z_]\w{0,40}\.){1,5}[a-z_]\w{0,60}[(\[](?!\d))"
)
"""What stands in the place of a value: a variable, a word of a configuration, or the call of a function of a module."""
_NAMED_SECRET = regex(
    rf"(?i)((?:token(?!s[\"']?\s{{0,3}}[:=]\s{{0,3}}\d{{1,12}}\b)|secret|passw(?:or)?d|passwd|pwd|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|(?<![a-z])auth(?:orization)?(?![a-z]|[_-]?token)){REFERENCE}"
    r"[\w-]{0,20}(?:\\{0,4}[\"'])?\s{0,3}[:=]\s{0,3}(?:\\{0,4}[\"'])?"
    rf"(?:{AUTHORIZATION_SCHEME})?)(?!{_NO_VALUE}|{AUTHORIZATION_SCHEME}[$<]|{PLAIN_ADDRESS})[^\s\"',;&]{{4,}}"
)
"""Values whose name indicates a secret. A token count is not a secret."""
_BEARER = regex(
    r"\b((?i:bearer|basic)\s{1,3})(?![A-Z]?[a-z]{1,40}(?:-[a-z]{1,20}){0,3}[.=/-]{0,2}(?![\w.~+/=-]))[\w.~+/=-]{8,}"
)
"""A key after the name of its scheme. A plain word is the rest of a sentence (`Basic authentication.`)."""
_LOGIN = regex(r"(://[^\s/:@]{1,100}:)[^\s/@]{1,200}(?=@)")
_AFTER_CUT = regex(r"(?<=\n\[…\]\n)\s{0,20}(?=[^\s\"']{0,200}\d)(?=[^\s\"']{0,200}[A-Za-z])[^\s\"']{6,4000}")
"""The first word after `CUT`, the left out middle of a text. It may be the end of a secret or the value of a name."""
_KEY_LINE = regex(
    r"(?m)(?:^|(?<=\\n)|(?<=[\"']))(?=[^\n]{0,90}[a-z])(?=[^\n]{0,90}[A-Z])(?=[^\n]{0,90}\d)[A-Za-z0-9+/]{40,90}={0,2}(?=$|\\n|[\"'])"
)
"""A line of a key whose first line may be left out: nothing but base64."""
_FORMS = (_AFTER_CUT, _KEY_LINE, _LOGIN, _BEARER, _NAMED_SECRET, _TOKEN)


def redact(text: str) -> str:
    """Replace passwords, tokens and keys with `[hidden]`, recognized by their format or their name."""
    return hide_secrets(text, HIDDEN, _FORMS)
