"""Recognize tokens by their form: the prefix of a service, a signature, a login in an address.

Every quantifier is bounded, because a line may be long and hostile.
"""

from actions.regex import regex
from actions.secrets.names import COMMAND_CHARACTER, ENCODED_KEY, ENCODED_KEY_BEGINNINGS

_TOKEN = regex(
    r"(?<![\w-])(?:(?:AKIA|ASIA)[0-9A-Z]{16,4000}|gh[pousr]_\w{30,4000}|github_pat_\w{22,4000}|gl(?:pat|dt|rt)-[\w-]{20,4000}|xox[a-z]-[\w-]{10,4000}"
    r"|xapp-[\w-]{10,4000}|AIza[\w-]{35,4000}|sk-(?!(?:[a-z]{1,15}|v?\d{1,3})(?:-(?:[a-z]{1,15}|v?\d{1,3})){2,20}(?![\w-]))(?=[\w-]{0,80}\d)[\w-]{20,4000}|[sr]k_(?:live|test)_\w{16,4000}|npm_[A-Za-z0-9]{36,4000}|pypi-[\w-]{16,4000}"
    r"|hf_[A-Za-z0-9]{30,4000}|eyJ[\w-]{10,4000}\.eyJ[\w-]{10,4000}\.[\w-]{10,4000}|SG\.[\w-]{16,80}\.[\w-]{16,4000}|do[opr]_v1_\w{16,4000}"
    r"|shp(?:at|ca|pa|ss)_\w{16,4000}|ya29\.[\w-]{10,4000}|GOCSPX-[\w-]{16,4000}|dckr_pat_[\w-]{16,4000}|hvs\.[\w-]{16,4000}"
    r"|gsk_\w{30,4000}|lin_(?:api|oauth)_\w{20,4000}|gl(?:sa|c)_[\w=+/]{20,4000}|AT(?:ATT|CTT)3[\w=-]{20,4000}|xai-\w{20,4000}|figd_[\w-]{20,4000}"
    r"|tskey-[\w-]{16,4000}|pplx-\w{30,4000}|r8_\w{30,4000}|sbp_[0-9a-f]{40}|nvapi-[\w-]{30,4000}|tvly-[\w-]{20,4000}|sntry[su]_\w{30,4000}|NRAK-\w{20,4000}"
    r"|xkeysib-[\w-]{30,4000}|PMAK-[\w-]{30,4000}|sq0(?:csp|atp)-[\w-]{20,4000}|key-[0-9a-f]{32}|lsv2_(?:pt|sk)_\w{20,4000}|dp\.[psc]t\.\w{20,4000}"
    r"|pul-[0-9a-f]{40}|gl(?:ptt|ft|soat|rtr|agent|imt|oas)-[\w-]{20,4000}|hv[br]\.[\w-]{16,4000}|(?:bot)?\d{8,10}:AA[\w-]{30,4000}"
    r"|whsec_\w{16,4000}|dapi[0-9a-f]{32,4000}|AGE-SECRET-KEY-1\w{20,4000})"
    rf"|(?<![\w+/]){ENCODED_KEY}[\w+/=]{{20,4000}}"
    r"|\bAC[0-9a-f]{32}:[0-9a-f]{32}|\bSK[0-9a-f]{32}\b"
    r"|://[^\s/:@]{0,100}:(?!\d{1,5}/)[^\s@\"'<>]{3,200}@"
    r"|hooks\.slack\.com/services/\w{1,40}/\w{1,40}/\w{1,200}|discord(?:app)?\.com/api/webhooks/\d{1,40}/[\w-]{1,200}"
    r"|\$(?:apr1|2[abxy]|[156y]|argon2\w{1,2})\$[\w./$=,+-]{20,400}"
    r"|(?<![\w.:/@-])[\w.*-]{1,100}:(?:5432|5433|6432|25060|26257|\*):[^\s:]{1,64}:[^\s:]{1,64}:[^\s:\"'<>{}$*]{3,400}(?![^\s,;)\"'`])"
    rf"|\bcurl\b{COMMAND_CHARACTER}{{0,400}}?\s(?:-u|--user)[ =]?[\"']?[^\s:$<\"']{{1,100}}:(?![$<])[^\s\"']{{3,400}}"
)
_TOKEN_BEGINNINGS = (
    *"AKIA ASIA ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- xox xapp- AIza sk- k_live_ k_test_".split(),
    *"npm_ pypi- hf_ eyJ SG. _v1_ shpat_ shpca_ shppa_ shpss_ ya29. GOCSPX- dckr_pat_ hvs. whsec_".split(),
    *"gsk_ lin_ glsa_ glc_ ATATT3 ATCTT3 xai- figd_ tskey- pplx- r8_ sbp_ nvapi- tvly- hvb. hvr. :AA".split(),
    *"sntry NRAK- xkeysib- PMAK- sq0 key- lsv2_ dp. pul- glptt- glft- glsoat- glrtr- glagent- glimt- gloas-".split(),
    *ENCODED_KEY_BEGINNINGS,
    *"dapi AGE-SECRET- AC SK :// hooks.slack.com/ /api/webhooks/ curl".split(),
    *"$apr1$ $2 $1$ $5$ $6$ $y$ $argon2 :5432: :5433: :6432: :25060: :26257: :*:".split(),
)
"""Each match of `_TOKEN` contains one of these strings. Searching for them takes a fifth of the time."""
_LONG_RUN = regex(r"[A-Za-z0-9]{30}")
_PREFIXED = regex(
    r"(?<![\w./+%=-])(?!sha\d|css-|v\d)[A-Za-z][A-Za-z0-9]{1,11}(?:[_-][A-Za-z0-9]{1,8}){0,3}[_-]"
    r"(?=[A-Za-z]{0,60}\d{1,20}[A-Za-z]{1,60}\d)(?=[a-z0-9]{0,60}[A-Z])(?=[A-Z0-9]{0,60}[a-z])[A-Za-z0-9]{30,4000}"
)
"""A token of any service: a short prefix and a long run of small and large letters and digits."""
TOKENS = (_TOKEN, _PREFIXED)


def has_token(line: str) -> bool:
    """Return whether a line contains a token."""
    for beginning in _TOKEN_BEGINNINGS:  # a generator expression would take twice the time
        if beginning in line:
            return _TOKEN.search(line) is not None or _has_prefixed_token(line)
    return _has_prefixed_token(line)


def _has_prefixed_token(line: str) -> bool:
    return _LONG_RUN.search(line) is not None and _PREFIXED.search(line) is not None
