"""Recognize files and lines that may contain a secret (a key, a password, a token), so that no model sees them.

The patterns are one table: `withhold_secrets` uses it for files, `hide_secrets` for the texts of sessions.
Every quantifier in the patterns for lines is bounded, because a line may be long and hostile.
"""

from collections.abc import Iterator

from actions.regex import regex

_SECRET_NAME = regex(
    r"""(?x)^(?:
        \.env(?:[^a-z0-9].*)? | .+\.env(?:\.(?:local|dev|development|test|staging|prod|production|enc))? | \.envrc.*
      | .+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg|age|tfstate|tfvars)
      | id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-].+)? | .*(?:deploy|private|ssh|signing)[_-]key
      | [._]netrc | \.npmrc | \.yarnrc\.ya?ml | \.pypirc | \.git-credentials | \.htpasswd | \.pgpass | \.my\.cnf
      | \.s3cfg | \.boto | \.dockercfg | kubeconfig | \..*[_-]token | \.claude\.json | cookies\.txt | \.\w+_history
      | \.?(?:tokens?|auth)(?:\.(?:json|ya?ml|toml|ini|txt|csv|cfg|conf|properties|xml))?
      | (?:service[-_]account|client[-_]secret).*\.json | (?:gcp|gcloud|google|sa|service|private|api)[-_]?keys?\.json
      | \.databrickscfg | .+\.(?:pem|key)\.(?:enc|txt|\d+) | wallet\.dat | keys?\.json
    )$"""
)
_WORD = regex(r"[a-z0-9]+")
_SECRET_WORDS = frozenset("secret secrets credential credentials password passwords passwd".split())
_SAMPLE_WORDS = frozenset("example sample template dist".split())
_BACKUP_ENDING = regex(r"(?:~|\.(?:bak|backup|old|orig|save|swp)){1,9}$")
_TEXT_NAME = regex(
    r"\.(?:mdx?|rst|adoc|html?|css|j2|py|pyi|ipynb|[cm]?[jt]sx?|vue|svelte|sh|bash|zsh|fish|ps1|go|rs|rb|java|kts?|scala|c|cc|cpp|h|hpp|cs|php"
    r"|swift|lua|exs?|sql|tf)$"
)
"""File name endings of text and code about secrets: `manage-secrets.md`, `secrets.py`."""
_SECRET_FOLDER = regex(
    r"(?:^|/)(?:\.ssh|\.aws|terraform\.tfstate\.d|\.gnupg|\.kube|\.docker|\.env|\.?secrets|\.config/(?:gh|gcloud|hub|rclone))/"
)

_KEY_BEGIN = regex(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|^PuTTY-User-Key-File-\d:")
_KEY_END = regex(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY|Private-MAC:")
_TOKEN = regex(
    r"(?<![\w-])(?:(?:AKIA|ASIA)[0-9A-Z]{16,4000}|gh[pousr]_\w{30,4000}|github_pat_\w{22,4000}|gl(?:pat|dt|rt)-[\w-]{20,4000}|xox[a-z]-[\w-]{10,4000}"
    r"|xapp-[\w-]{10,4000}|AIza[\w-]{35,4000}|sk-(?=[\w-]{0,80}\d)[\w-]{20,4000}|[sr]k_(?:live|test)_\w{16,4000}|npm_\w{36,4000}|pypi-[\w-]{16,4000}"
    r"|hf_\w{30,4000}|eyJ[\w-]{10,4000}\.eyJ[\w-]{10,4000}\.[\w-]{10,4000}|SG\.[\w-]{16,80}\.[\w-]{16,4000}|do[opr]_v1_\w{16,4000}"
    r"|shp(?:at|ca|pa|ss)_\w{16,4000}|ya29\.[\w-]{10,4000}|GOCSPX-[\w-]{16,4000}|dckr_pat_[\w-]{16,4000}|hvs\.[\w-]{16,4000}"
    r"|whsec_\w{16,4000}|dapi[0-9a-f]{32,4000}|AGE-SECRET-KEY-1\w{20,4000})"
    r"|(?<![\w+/])(?:LS0tLS1CRUdJTi|b3BlbnNzaC1rZXktdjE|MII(?:Eow|EpA|EpQ|EvA|EvQ|EvgI|JK|JQ|Jj))[\w+/=]{20,4000}"
    r"|\bAC[0-9a-f]{32}:[0-9a-f]{32}|\bSK[0-9a-f]{32}\b"
    r"|://[^\s/:@]{0,100}:(?!\d{1,5}/)[^\s@\"'<>]{3,200}@"
    r"|hooks\.slack\.com/services/\w{1,40}/\w{1,40}/\w{1,200}|discord(?:app)?\.com/api/webhooks/\d{1,40}/[\w-]{1,200}"
    r"|\$(?:apr1|2[abxy]|[156y]|argon2\w{1,2})\$[\w./$=,+-]{20,400}"
    r"|(?<![\w.:/@-])[\w.*-]{1,100}:(?:5432|5433|6432|25060|26257|\*):[^\s:]{1,64}:[^\s:]{1,64}:[^\s:\"'<>{}$*]{3,400}(?![^\s,;)\"'`])"
    r"|\bcurl\b.{0,400}?\s(?:-u|--user)[ =]?[\"']?[^\s:$<\"']{1,100}:(?![$<])[^\s\"']{3,400}"
)
_TOKEN_BEGINNINGS = (
    *"AKIA ASIA ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- xox xapp- AIza sk- k_live_ k_test_".split(),
    *"npm_ pypi- hf_ eyJ SG. _v1_ shpat_ shpca_ shppa_ shpss_ ya29. GOCSPX- dckr_pat_ hvs. whsec_".split(),
    *"dapi AGE-SECRET- LS0tLS1CRUdJTi b3BlbnNzaC1rZXktdjE MII AC SK :// hooks.slack.com/ /api/webhooks/ curl".split(),
    *"$apr1$ $2 $1$ $5$ $6$ $y$ $argon2 :5432: :5433: :6432: :25060: :26257: :*:".split(),
)
"""Each match of `_TOKEN` contains one of these strings. Searching for them takes a fifth of the time."""
_LETTER_AND_DIGIT = r"(?=[^\s\"']{0,200}[0-9])(?=[^\s\"']{0,200}[A-Za-z])"
"""A lookahead for a value with at least one digit and one letter."""
_HEADER = regex(
    rf"(?i)\b(?:bearer|basic)\s{{1,3}}{_LETTER_AND_DIGIT}[\w.~+/=-]{{12,4000}}"
    rf"|\bauthorization[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?(?:\w{{1,20}}\s)?{_LETTER_AND_DIGIT}[^\s\"'<>{{}}$(]{{12,4000}}"
)
_QUOTE = r"(?:\\{0,4}[\"'`])?"
"""An optional quote, which is escaped if the text is in a string."""
_SECRET_KEY_NAME = (
    r"(?:passw(?:or)?[dt]|passphrase|mot[_ ]de[_ ]passe|kennwort|wachtwoord|contrase[nñ]a|senha"
    r"|пароль|密码|密碼|パスワード|비밀번호|(?<![a-z])pwd|secret|token(?!s)|credential"
    r"|(?:api|access|account|private|signing|encryption|auth)[_-]?key)"
    r"(?![_-]?(?:key[_-]?)?(?:name|ref)(?:[^a-z]|$))\w{0,40}(?:\\{0,4}[\"'])?"
)
"""The name of a secret, but not of an object that refers to one (`secretName`, `secretKeyRef`)."""
_ASSIGNED_VALUE = regex(
    rf"(?i)(?:{_SECRET_KEY_NAME}|tokens\w{{0,40}}[\"']?)\s{{0,20}}[:=]\s{{0,20}}(?![\w.]{{16,200}}\()[\"']?{_LETTER_AND_DIGIT}[^\s\"'<>{{}}$()]{{16,4000}}"
)
"""The name of a secret and a long value of letters and digits, in any file format."""
_QUOTED_VALUE = regex(
    rf"(?i){_SECRET_KEY_NAME}\s{{0,20}}[:=]{{1,2}}>?\s{{0,20}}[brfu]?\\{{0,4}}[\"'](?![$<{{/.~*]|https?:)"
    r"(?=[^\"'\\]{0,200}[^\"'\\a-z_ .,:;-])[^\"'\s<>{}]{6,400}"
)
"""The name of a secret and a quoted word that contains more than letters."""
_UNQUOTED_VALUE = regex(
    rf"(?i){_SECRET_KEY_NAME}(?:=|:[ \t]{{1,20}}|：[ \t]{{0,20}}|[ \t]{{0,20}}=[ \t]{{1,20}})"
    r"(?![$</.~*]|https?:|!?[a-z_][a-z_.]{0,80}[!?]?(?:[\s,;)\]]|$))[^\s\"'<>{}()\[\],;]{6,400}(?=[\s,;&]|$)"
)
"""The name of a secret and an unquoted word that is neither a variable nor a plain word."""
_ENVIRONMENT_VARIABLE = regex(
    r"(?:^|[\s;])[A-Z][A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|_KEY)=(?![$</.~*])[^\s\"'<>{}()\[]{6,4000}"
)
"""An environment variable, whose value may be a plain word."""
_DOLLAR_VALUE = regex(rf"(?i){_SECRET_KEY_NAME}=\$[a-z]\w{{0,40}}\d{{4,40}}")
"""A value that begins with a dollar sign but is not a typical variable name."""
_VALUE_AFTER_SPACE = regex(
    rf"(?im)(?:password|passwd|secret|token|api-key)\s{{1,3}}[\"']?(?![-$<]){_LETTER_AND_DIGIT}[\w+/=~!@#%^*-]{{16,400}}"
    rf"|(?<!-)--[\w-]{{0,40}}(?:password|passwd|secret|token|api-key)\s{{1,3}}[\"']?(?![-$<]){_LETTER_AND_DIGIT}[^\s\"'<>{{}}]{{6,400}}"
    rf"|^\s{{0,40}}password\s{{1,3}}{_LETTER_AND_DIGIT}\S{{6,400}}$"
    r"|\blogin\s{1,3}\S{1,100}\s{1,3}password\s{1,3}\S{3,400}"
)
_VALUE_IN_MARKUP = regex(
    rf"(?im)<(?:\w{{1,40}}[:.])?{_SECRET_KEY_NAME}>(?![$<{{]){_LETTER_AND_DIGIT}[^\s<>{{}}]{{6,400}}</"
    rf"|\b(?:key|name)=[\"']\w{{0,40}}{_SECRET_KEY_NAME}\s{{1,20}}value=[\"'](?![$<{{]){_LETTER_AND_DIGIT}[^\s\"'<>{{}}]{{6,400}}"
    rf"|\|\s{{0,20}}[`*\"']{{0,3}}\w{{0,40}}{_SECRET_KEY_NAME}[`*]{{0,3}}\s{{0,20}}\|\s{{0,20}}`?(?![$<{{]){_LETTER_AND_DIGIT}(?=[^\s|]{{0,200}}(?:[a-z]\d|\d[a-z]))"
    r"[^\s|<>{}`]{8,400}`?\s{0,20}(?:\||$)"
    rf"|\b(?:mysql\w{{0,20}}|mariadb)\b.{{0,200}}?\s-p(?![$<\"']){_LETTER_AND_DIGIT}[^\s\"'<>]{{6,400}}"
    rf"|\bsshpass\s{{1,3}}-p\s{{0,3}}[\"']?(?![$<]){_LETTER_AND_DIGIT}[^\s\"'<>]{{6,400}}"
)
"""A value in an XML element or attribute, in the next cell of a table, or after the switch -p."""
_NO_ORDINAL = "".join(rf"(?<!{word}[ _-])" for word in "first second third last final next one two single".split())
_PASS = (
    rf"(?:(?<![A-Za-z]){_NO_ORDINAL}[Pp]ass|_PASS|(?<![A-Za-z])PASS(?=[\"'=\\])|(?<=[a-z])Pass)"
    r"\d?(?![A-Za-z0-9_])(?:\\{0,4}[\"'])?"
)
"""The short name of a password, as in `DB_PASS` and `smtpPass`, but not the result of a test (`PASS: test_login`)."""
_NO_PASSWORD = (
    r"(?![$<{(/.~*%]|https?:|(?:[A-Z]{1,80}|[A-Z]?[a-z]{1,80})[.!?]?(?:[\s\"',;]|$)|[Tt]ests?(?![a-z])|"
    r"[^\s\"']{0,100}(?:::|/|[Tt]est))"
)
_VALUE_OF_PASS = regex(
    rf"(?:{_PASS})\s{{0,3}}(?:=|:=|=>|:[ \t]{{1,8}}(?=\\{{0,4}}[\"']))\s{{0,3}}[brfu]?"
    rf"{_QUOTE}{_NO_PASSWORD}(?=[^\s\"']{{0,200}}[0-9A-Z!@#%^&*+=?-])"
    r"(?=[^\s\"']{0,200}[A-Za-z])[^\s\"'`<>{}()\[\],;]{6,400}(?=[\s\"'`\\,;&)}\]]|$)"
    rf"|(?m:^[ \t]{{0,40}}(?:- )?[\w.-]{{0,40}}(?:{_PASS}):[ \t]{{1,8}})"
    rf"{_NO_PASSWORD}{_LETTER_AND_DIGIT}[^\s\"'`<>{{}}()\[\],;]{{6,400}}(?=[\s,;]|$)"
    rf"|(?<![\w-])--?\w{{0,20}}pass(?:in|out)?(?:\s{{1,3}}|=)(?:pass:)?(?!\\?[$<\"'/.-]){_LETTER_AND_DIGIT}[^\s\"'`<>{{}}()]{{6,400}}"
    r"|(?:^|[\s;\"'])[A-Z][A-Z0-9_]{0,40}_PASS=[\"']?(?![$</.~*\d\s])[^\s\"'<>{}()\[]{6,4000}"
)
"""A value after the short name of a password."""
_COOKIE = regex(
    rf"(?i)(?<![a-z])(?:set-)?cookies?{_QUOTE}\s{{0,3}}[:=]\s{{0,3}}{_QUOTE}"
    rf"(?:[\w.%-]{{1,80}}=[^\s;\"'<>]{{0,200}};\s{{0,2}}){{0,20}}"
    rf"[\w.%-]{{1,80}}=(?![$<{{*.]){_LETTER_AND_DIGIT}[^\s;\"'<>{{}}()$]{{8,4000}}(?:;\s{{0,2}}[\w.%-]{{1,80}}=[^\s;\"'<>]{{0,4000}}){{0,50}}"
    rf"|\b(?:PHPSESSID|JSESSIONID|connect\.sid)=(?![$<{{*.]){_LETTER_AND_DIGIT}[^\s;\"'<>{{}}()$]{{8,4000}}"
    rf"|\bcurl\b.{{0,400}}?\s(?:-b|--cookie)[ =]{{1,3}}{_QUOTE}[\w.%-]{{1,80}}="
    rf"(?![$<{{*.]){_LETTER_AND_DIGIT}[^\s\"'<>{{}}()$]{{8,4000}}"
)
"""The cookies of a request or an answer, if one has a long value of letters and digits."""
_SIGNED_ADDRESS = regex(
    rf"(?i)(?:[?&]|&amp;|\\u0026)(?:sig|signature|x-\w{{2,10}}-(?:signature|security-token|credential))=(?![$<{{]){_LETTER_AND_DIGIT}[^\s\"'<>{{}}&]{{8,4000}}"
)
"""The signature in an address, which opens it to any reader."""
_SWITCH_VALUE = rf"{_QUOTE}(?![-$<\"'`])"
_LOGIN_COMMAND = regex(
    r"(?i)\b(?:docker|podman|buildah|nerdctl|skopeo|oras|helm registry|az|az acr|oc|cf)\s{1,3}login\b[^\r\n;&|]{0,200}?"
    r"\s(?:-p|--password)(?:\s{1,3}|=)"
    rf"{_SWITCH_VALUE}(?!\d{{1,5}}(?:\s|$))[^\s\"'`<>]{{4,400}}"
    rf"|\bredis-cli\b[^\r\n;&|]{{0,200}}?\s(?:-a|--pass)(?:\s{{1,3}}|=){_SWITCH_VALUE}[^\s\"'`<>]{{4,400}}"
    rf"|\bmongo\w{{0,20}}\b[^\r\n;&|]{{0,200}}?\s-p\s{{0,3}}{_SWITCH_VALUE}{_LETTER_AND_DIGIT}[^\s\"'`<>]{{6,400}}"
    rf"|\bldap[a-z]{{3,10}}\b[^\r\n;&|]{{0,200}}?\s-w\s{{0,3}}{_SWITCH_VALUE}{_LETTER_AND_DIGIT}[^\s\"'`<>]{{6,400}}"
)
"""A password after a switch of a command that logs in."""
_TECHNICAL_WORD = (
    r"(?!(?:base-?\d\d|sha-?\d{1,3}|md\d|utf-?\d{1,2}|[a-z]{2,3}-?\d{3,4}|v\d{1,3}|x\.?509|oauth\d|k8s|s3|ec2|2fa|argon2\w{0,2}|pbkdf2|ed25519|iso-?\d{4})(?![a-z0-9])"
    r"|\d{1,5}[-_]?(?:bytes?|bits?|char(?:acter)?s?|digits?|hours?|days?|minutes?|seconds?|[hsmd]|ms|kb|mb)(?![a-z0-9]))"
)
_VALUE_IN_PROSE = regex(
    r"(?i)(?<![a-z])(?:passw(?:or)?[dt]|passphrase|passcode|kennwort|token|secret|(?:api|access|secret)[ _-]?key)"
    rf"(?:\s(?:for|of)\s[^\s]{{1,40}}(?:\s[^\s]{{1,40}})?)?(?:'s|\s(?:is|was|ist|lautet|war|est|es))(?:\snow|\sjetzt)?:?\s{{1,3}}[*(]{{0,3}}{_QUOTE}"
    rf"(?![$<{{/.~*]|https?:|[\w-]{{0,40}}\(){_TECHNICAL_WORD}{_LETTER_AND_DIGIT}[^\s\"'`<>{{}}()]{{6,400}}"
)
"""A sentence that says a password: a word with a letter and a digit. A plain word could be `missing`."""
_NAMED_VALUES = (
    _HEADER,
    _ASSIGNED_VALUE,
    _QUOTED_VALUE,
    _UNQUOTED_VALUE,
    _ENVIRONMENT_VARIABLE,
    _DOLLAR_VALUE,
    _VALUE_AFTER_SPACE,
    _VALUE_IN_MARKUP,
    _VALUE_OF_PASS,
    _COOKIE,
    _SIGNED_ADDRESS,
    _LOGIN_COMMAND,
    _VALUE_IN_PROSE,
)
"""All forms in which a value is named, for the lines of files and the texts of sessions alike."""
_SECRET_HINTS = (
    *"cookie curl phpsessid jsessionid connect.sid sig= signature= security-token= login redis-cli mongo ldap".split(),
    *"pass pwd secret token key credential auth bearer basic mysql mariadb".split(),
    *"kennwort wachtwoord contrase senha пароль 密码 密碼 パスワード 비밀번호".split(),
)
"""Each match of `_NAMED_VALUES` contains one of these words, which are fast to search for."""
_VALUE_FOLLOWS = regex(
    rf"(?i){_SECRET_KEY_NAME}\s{{0,20}}[:=：]\s{{0,20}}([|>][+-]?|\\|[(\[]|[\"']{{3}})?\s{{0,20}}$|^#{{1,6}}\s{{1,3}}(?:\w{{1,40}}\s)?{_SECRET_KEY_NAME}\s{{0,20}}$"
)
"""Matches if the value is on the next non-empty line, or on the lines below if a YAML block begins."""
_MAY_CONTINUE = regex(r"[\"']\s{0,20}(?:\+|\\|\.)?\s{0,20}$")
"""Matches if the value may continue on the next line."""
_VALUE_LINE = regex(rf"\s{{0,400}}[bru]?[\"']?{_LETTER_AND_DIGIT}[^\s\"'<>{{}}()$]{{6,4000}}[\"']?[,;)]?\s{{0,20}}$")
WITHHELD = "[withheld: it looks like a secret]"


def is_secret_path(path: str) -> bool:
    """Return whether the name of a file, or of a folder above it, shows that the file contains secrets."""
    if _SECRET_FOLDER.search(path.lower()):
        return True
    name = _BACKUP_ENDING.sub("", path.lower().rpartition("/")[2])
    words = set(_WORD.findall(name))
    has_word = not words.isdisjoint(_SECRET_WORDS) and not _TEXT_NAME.search(name)
    return (has_word or _SECRET_NAME.match(name) is not None) and words.isdisjoint(_SAMPLE_WORDS)


def withhold_secrets(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines, replacing each line that contains a secret, or is part of one, with `WITHHELD`."""
    in_key, value_follows, block_indent = False, False, -1
    for line in lines:
        if value_follows and not line.strip():
            yield line
            continue
        indent = len(line) - len(line.lstrip())
        block_indent = block_indent if block_indent < 0 or not line.strip() or indent > block_indent else -1
        in_key = in_key or _KEY_BEGIN.search(line) is not None
        is_value = (block_indent >= 0 and bool(line.strip())) or (value_follows and _VALUE_LINE.match(line) is not None)
        has_hint = _has_hint(line)
        is_secret = in_key or is_value or _has_token(line) or (has_hint and _has_named_value(line))
        in_key = in_key and not _KEY_END.search(line)
        match = _VALUE_FOLLOWS.search(line) if block_indent < 0 and has_hint else None
        value_follows = match is not None or (is_secret and _MAY_CONTINUE.search(line) is not None)
        block_indent = indent if match and (match[1] or "").startswith(("|", ">")) else block_indent
        yield WITHHELD if is_secret else line


def hide_secrets(text: str, replacement: str) -> str:
    """Replace each part of a text that looks like a secret.

    The name in front of a secret is replaced, too.
    """
    for pattern in (_TOKEN, *(_NAMED_VALUES if _has_hint(text) else ())):
        text = pattern.sub(replacement, text)
    return text


def _has_token(line: str) -> bool:
    for beginning in _TOKEN_BEGINNINGS:  # a generator expression would take twice the time
        if beginning in line:
            return _TOKEN.search(line) is not None
    return False


def _has_named_value(line: str) -> bool:
    return any(pattern.search(line) for pattern in _NAMED_VALUES)


def _has_hint(line: str) -> bool:
    lower = line.lower()
    for hint in _SECRET_HINTS:  # noqa: SIM110 - a generator expression would take twice the time
        if hint in lower:
            return True
    return False
