"""Recognize values by a name that says secret: assigned in any format, or said in a sentence.

Every quantifier is bounded, because a line may be long and hostile.
"""

from actions.regex import regex
from actions.secrets.names import (
    AUTHORIZATION_SCHEME,
    COMMAND_CHARACTER,
    LETTER_AND_DIGIT,
    NAME_OF_WORDS,
    PLAIN_ADDRESS,
    QUOTE,
    SECRET_KEY_NAME,
)

_HEADER = regex(
    rf"(?i)\b(?:bearer|basic)\s{{1,3}}{LETTER_AND_DIGIT}[\w.~+/=-]{{12,4000}}"
    rf"|\bauthorization[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?{AUTHORIZATION_SCHEME}{LETTER_AND_DIGIT}[^\s\"'<>{{}}$(]{{6,4000}}"
    rf"|\bauthorization[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?(?:\w{{1,20}}\s)?{LETTER_AND_DIGIT}[^\s\"'<>{{}}$(]{{12,4000}}"
)
_ASSIGNED_VALUE = regex(
    rf"(?i)(?:{SECRET_KEY_NAME}|tokens\w{{0,40}}[\"']?)\s{{0,20}}[:=]\s{{0,20}}(?![\w.]{{16,200}}\()[\"']?(?!{PLAIN_ADDRESS}){LETTER_AND_DIGIT}[^\s\"'<>{{}}$()]{{16,4000}}"
)
"""The name of a secret and a long value of letters and digits, in any file format."""
TYPE = (
    r"(?::\s{0,3}(?:&(?:'\w{1,20}\s)?)?[\w.:]{1,40}(?:[<\[][\w.:&' ]{0,40}[>\]])?\??(?:\s?\|\s?[\w.]{1,20}){0,3}\s{0,3}"
    r"|\[\d{0,4}\]\s{0,3}|\s{1,3}(?:As\s)?string\s{0,3})?"
)
"""The type of a variable between its name and its value: `: &'static str`, `: string | undefined`, `[]`, ` string`."""
_QUOTED_WORD = r"(?![$<{/.~*]|https?:)(?=[^\"'\\]{0,200}[^\"'\\a-z_ .,:;-])[^\"'\s<>{}]{6,400}"
"""A word in quotes that contains more than letters."""
_QUOTED_VALUE = regex(
    rf"(?i){SECRET_KEY_NAME}\]?\s{{0,20}}{TYPE}[:=]{{1,3}}>?\s{{0,20}}[brfu]?\\{{0,4}}[\"']{_QUOTED_WORD}"
)
"""The name of a secret and a quoted word."""
_LONG_STRING = regex(
    rf"(?i){SECRET_KEY_NAME}\]?\s{{0,20}}{TYPE}(?::?=|:(?=\s{{0,3}}[brfu]?[\"']{{3}}))\s{{0,20}}(?:[brfu]?(?:\"{{3}}|'{{3}})|@\"|`){_QUOTED_WORD}"
)
"""The name of a secret and a word in other quotes: of Python, Go and C#."""
_MADE_VALUE = regex(
    r"(?m:^[ \t]{0,20}(?:(?:export|override)[ \t]{1,3})?(?=[A-Z][A-Z0-9_]{2,60}[ \t:?+])"
    rf"\w{{0,60}}?(?i:{SECRET_KEY_NAME})[ \t]{{0,20}}(?:[?+]|:{{1,3}})=[ \t]{{0,20}}"
    rf"(?![$<{{/.~*]|https?:){LETTER_AND_DIGIT}[^\s\"'`()]{{6,400}}[ \t]{{0,20}}$)"
)
"""A variable of a Makefile: `API_KEY := …`, `API_KEY ?= …`."""
_NAMED_PAIR = regex(
    rf"(?i)\bname[\"']?\s{{0,3}}:\s{{0,3}}[\"']?[\w.-]{{0,60}}?{SECRET_KEY_NAME}\s{{0,3}},\s{{0,20}}[\"']?value[\"']?\s{{0,3}}:\s{{0,3}}"
    rf"[\"']?(?![$<{{/.~*]|https?:){LETTER_AND_DIGIT}[^\s\"'<>{{}},]{{6,400}}"
)
"""A name and its value as two fields on one line: `{"name": "DB_PASSWORD", "value": "…"}`."""
_FRENCH_VALUE = regex(
    rf"(?i)\bmot[ _]de[ _]passe\w{{0,20}}[ \t\u00a0\u202f]{{1,3}}:[ \t\u00a0\u202f]{{0,3}}{QUOTE}"
    rf"(?![$<{{/.~*]|https?:){LETTER_AND_DIGIT}[^\s\"'`<>{{}}()]{{6,400}}"
)
"""A value after a colon with a space in front of it, as French is written."""
_DEFINED_VALUE = regex(
    rf"(?i)#\s{{0,3}}define\s{{1,20}}\w{{0,60}}?{SECRET_KEY_NAME}\s{{1,20}}\(?L?\\{{0,4}}[\"']{_QUOTED_WORD}"
    rf"|{SECRET_KEY_NAME}\s{{0,3}}{TYPE}=\s{{0,3}}[\w.]{{0,20}}\b(?:Option|Argument|Field|SecretStr)\(\s{{0,20}}(?:default\s?=\s?)?[\"']{_QUOTED_WORD}"
)
"""A value that is defined in C (`#define API_KEY "…"`), or in the declaration of an option or a field."""
_UNQUOTED_VALUE = regex(
    rf"(?i){SECRET_KEY_NAME}(?:=|:[ \t]{{1,20}}|：[ \t]{{0,20}}|[ \t]{{0,20}}=[ \t]{{1,20}})"
    r"(?![$</.~*]|https?:|!?[a-z_][a-z_.]{0,80}[!?]?(?:[\s,;)\]\"'`&\\]|$))[^\s\"'`<>{}()\[\],;\\]{6,400}(?=[\s,;&\"'`\\]|$)"
)
"""The name of a secret and an unquoted word that is neither a variable nor a plain word."""
_ENVIRONMENT_NAME = r"[A-Z][A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|_KEY|_PW|_SALT)"
_ENVIRONMENT_VARIABLE = regex(
    rf"(?:^|[\s;]){_ENVIRONMENT_NAME}=(?![$</.~*])[^\s\"'<>{{}}()\[]{{6,4000}}"
    rf"|(?m:^[ \t]{{0,20}}ENV)[ \t]{{1,3}}(?:{_ENVIRONMENT_NAME}|PASSWORD|SECRET|TOKEN)[ \t]{{1,3}}"
    rf"[\"']?(?![$</.~*=])[^\s\"'<>{{}}()\[]{{6,4000}}"
)
"""An environment variable, whose value may be a plain word."""
_DOLLAR_VALUE = regex(rf"(?i){SECRET_KEY_NAME}=\$[a-z]\w{{0,40}}\d{{4,40}}")
"""A value that begins with a dollar sign but is not a typical variable name."""
_STATE = r"(?:expired|reset|changed|required|invalid|incorrect|wrong|missing|failed|is|was|has|must|and|or|for|field)\b"
"""A word that says what became of a password (`login gull password expired`)."""
_VALUE_AFTER_SPACE = regex(
    rf"(?im)(?:password|passwd|(?:secret|token|api-key)(?!\s{{1,3}}[\"']?{NAME_OF_WORDS}))\s{{1,3}}[\"']?(?![-$<]){LETTER_AND_DIGIT}[\w+/=~!@#%^*-]{{16,400}}"
    rf"|^\s{{0,40}}password\s{{1,3}}{LETTER_AND_DIGIT}\S{{6,400}}$"
    rf"|\blogin\s{{1,3}}\S{{1,100}}\s{{1,3}}password\s{{1,3}}(?!{_STATE})\S{{3,400}}"
)
_VALUE_IN_MARKUP = regex(
    rf"(?im)<(?:\w{{1,40}}[:.])?{SECRET_KEY_NAME}>(?![$<{{]){LETTER_AND_DIGIT}[^\s<>{{}}]{{6,400}}</"
    rf"|\b(?:key|name)=[\"']\w{{0,40}}{SECRET_KEY_NAME}\s{{1,20}}value=[\"'](?![$<{{]){LETTER_AND_DIGIT}[^\s\"'<>{{}}]{{6,400}}"
    rf"|\|\s{{0,20}}[`*\"']{{0,3}}\w{{0,40}}{SECRET_KEY_NAME}[`*]{{0,3}}\s{{0,20}}\|\s{{0,20}}`?(?![$<{{]){LETTER_AND_DIGIT}(?=[^\s|]{{0,200}}(?:[a-z]\d|\d[a-z]))"
    r"[^\s|<>{}`]{8,400}`?\s{0,20}(?:\||$)"
    rf"|\b(?:mysql\w{{0,20}}|mariadb)\b{COMMAND_CHARACTER}{{0,200}}?\s-p{QUOTE}(?![$<\"']){LETTER_AND_DIGIT}[^\s\"'<>]{{6,400}}"
    rf"|\bsshpass\s{{1,3}}-p\s{{0,3}}[\"']?(?![$<]){LETTER_AND_DIGIT}[^\s\"'<>]{{6,400}}"
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
    rf"(?:{_PASS})\s{{0,3}}(?:=|:=|=>|:[ \t]{{0,8}}(?=\\{{0,4}}[\"']))\s{{0,3}}[brfu]?"
    rf"{QUOTE}{_NO_PASSWORD}(?=[^\s\"']{{0,200}}[0-9A-Z!@#%^&*+=?-])"
    r"(?=[^\s\"']{0,200}[A-Za-z])[^\s\"'`<>{}()\[\],;]{6,400}(?=[\s\"'`\\,;&)}\]]|$)"
    rf"|(?m:^[ \t]{{0,40}}(?:- )?[\w.-]{{0,40}}(?:{_PASS}):[ \t]{{1,8}})"
    rf"{_NO_PASSWORD}{LETTER_AND_DIGIT}[^\s\"'`<>{{}}()\[\],;]{{6,400}}(?=[\s,;]|$)"
    rf"|(?<![\w-])--?\w{{0,20}}pass(?:in|out)?(?:\s{{1,3}}|=)(?:pass:)?(?!\\?[$<\"'/.-]){LETTER_AND_DIGIT}[^\s\"'`<>{{}}()]{{6,400}}"
    r"|(?:^|[\s;\"'])[A-Z][A-Z0-9_]{0,40}(?<!BY)(?<!COM)(?<!SUR)(?<!TRES)(?<!OVER)(?<!UNDER)PASS=[\"']?(?![$</.~*\d\s])[^\s\"'<>{}()\[]{6,4000}"
)
"""A value after the short name of a password."""
_COOKIE = regex(
    rf"(?i)(?<![a-z])(?:set-)?cookies?{QUOTE}\s{{0,3}}[:=]\s{{0,3}}{QUOTE}"
    rf"(?:[\w.%-]{{1,80}}=[^\s;\"'<>]{{0,200}};\s{{0,2}}){{0,20}}"
    rf"[\w.%-]{{1,80}}=(?![$<{{*.]){LETTER_AND_DIGIT}[^\s;\"'<>{{}}()$]{{8,4000}}(?:;\s{{0,2}}[\w.%-]{{1,80}}=[^\s;\"'<>]{{0,4000}}){{0,50}}"
    rf"|\b(?:PHPSESSID|JSESSIONID|connect\.sid)=(?![$<{{*.]){LETTER_AND_DIGIT}[^\s;\"'<>{{}}()$]{{8,4000}}"
    rf"|\bcurl\b{COMMAND_CHARACTER}{{0,400}}?\s(?:-b|--cookie)[ =]{{1,3}}{QUOTE}[\w.%-]{{1,80}}="
    rf"(?![$<{{*.]){LETTER_AND_DIGIT}[^\s\"'<>{{}}()$]{{8,4000}}"
)
"""The cookies of a request or an answer, if one has a long value of letters and digits."""
_SIGNED_ADDRESS = regex(
    rf"(?i)(?:[?&]|&amp;|\\u0026)(?:sig|signature|x-\w{{2,10}}-(?:signature|security-token|credential))=(?![$<{{]){LETTER_AND_DIGIT}[^\s\"'<>{{}}&]{{8,4000}}"
)
"""The signature in an address, which opens it to any reader."""
_TECHNICAL_WORD = (
    r"(?!(?:base-?\d\d|sha-?\d{1,3}|md\d|utf-?\d{1,2}|[a-z]{2,3}-?\d{3,4}|v\d{1,3}|x\.?509|oauth\d|k8s|s3|ec2|2fa|argon2\w{0,2}|pbkdf2|ed25519|iso-?\d{4})(?![a-z0-9])"
    r"|\d{1,5}[-_]?(?:bytes?|bits?|char(?:acter)?s?|digits?|hours?|days?|minutes?|seconds?|[hsmd]|ms|kb|mb)(?![a-z0-9]))"
)
SAID = (
    r"(?i:(?<![a-z])(?:passw(?:or)?[dt]|passphrase|passcode|kennwort|token|secret|(?:api|access|secret)[ _-]?key)"
    r"(?:\s(?:for|of)\s[^\s]{1,40}(?:\s[^\s]{1,40})?)?(?:'s|\s(?:is|was|ist|lautet|war|est|es))(?:\snow|\sjetzt)?:?\s{1,3}[*(]{0,3})"
)
"""The beginning of a sentence that says a password."""
_VALUE_IN_PROSE = regex(
    rf"{SAID}{QUOTE}(?![$<{{/.~*]|https?:|[\w-]{{0,40}}\()(?i:{_TECHNICAL_WORD}){LETTER_AND_DIGIT}[^\s\"'`<>{{}}()]{{6,400}}"
)
"""A sentence that says a password: a word with a letter and a digit. A plain word could be `missing`."""
_COLON_IN_MARKDOWN = (
    r"(?:[*_`]{1,3}[ \t]{0,3}[:=：]|[ \t]{0,3}[:=：][*_`]{1,3}|[ \t]{0,3}[:=：](?=[ \t]{0,8}[*_]{0,3}`))"
    r"[*_]{0,3}[ \t]{0,8}[*_]{0,3}"
)
_VARIABLE = r"[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,20}(?:[`\s]|$)"
_VALUE_IN_MARKDOWN = regex(
    rf"(?i:{SECRET_KEY_NAME}|(?:api|access|secret) key){_COLON_IN_MARKDOWN}(?:`|{QUOTE})"
    rf"(?![$<{{/.~*]|https?:|{_VARIABLE})(?i:{_TECHNICAL_WORD}){LETTER_AND_DIGIT}[^\s\"'`<>{{}}()\[\]]{{6,400}}(?=[\s\"'`,;]|$)"
)
"""A value behind an emphasized name, or in a code span: `**Password:** …`. It has a letter and a digit."""
FORMS = (
    _HEADER,
    _ASSIGNED_VALUE,
    _QUOTED_VALUE,
    _LONG_STRING,
    _MADE_VALUE,
    _NAMED_PAIR,
    _FRENCH_VALUE,
    _DEFINED_VALUE,
    _UNQUOTED_VALUE,
    _ENVIRONMENT_VARIABLE,
    _DOLLAR_VALUE,
    _VALUE_AFTER_SPACE,
    _VALUE_IN_MARKUP,
    _VALUE_OF_PASS,
    _COOKIE,
    _SIGNED_ADDRESS,
    _VALUE_IN_PROSE,
    _VALUE_IN_MARKDOWN,
)
"""The forms in which a value has a name, for the lines of files and the texts of sessions alike."""
