"""Compare the commands in a text with the commands that a session ran.

Commands are compared by their `key`, which is their first words. A `part` is a simple command, split into words by
`actions.session.shell.split_commands`.
"""

from functools import lru_cache

from actions.regex import regex
from actions.session.runs import runs_tests
from actions.session.shell import INTERPRETERS, split_commands

Words = tuple[str, ...]

_LITERAL = regex(r"[\w./:@+=,~-]+")
_VARIABLE = regex(r"^[\"']?(?:\$\{?\w+\}?|\{\w+\}|<[\w -]+>)/")
_PLACEHOLDER = regex(r"[A-Z][A-Z0-9_]+|\d+|\.\.\.|N|path|name|file")
_OPTION = regex(r"-{1,2}[A-Za-z]")
_REDIRECTION = regex(r"^\d?>{1,2}|^&>|^2>&1$|^<")
_EVERYDAY_PROGRAMS = frozenset(
    "cd ls cat echo mkdir cp mv rm rmdir touch grep rg find fd sed awk head tail test [ [[ printf export source set"
    " unset wc sort uniq xargs which pwd true false read sleep chmod chown ln date jq tee diff tr cut basename dirname"
    " eval if fi else elif then for while do done case esac in { } ! open code kill ps env type return exit local"
    " curl wget tree stat file less more man tar unzip zip ssh scp rsync du df whoami id uname seq yes let".split()
)
"""Programs that any session may run, so that their use does not show that a line of the text was followed."""

_COMMON_PROGRAMS = frozenset({"git"})
"""Programs that occur in many lines, so that a call does not show which step was reached."""
_MULTI_PURPOSE_PROGRAMS = frozenset(
    "git gh glab docker docker-compose podman kubectl helm terraform aws gcloud az pip pip3 uv npm pnpm yarn brew apt"
    " apt-get conda mamba psql mysql sqlite3 redis-cli systemctl hf modal vercel netlify heroku fly".split()
)
"""Programs with many purposes, whose call follows a line only if it contains all words of the line's command."""
_SETUP_WORDS = frozenset("install sync init add venv setup login upgrade update".split())
"""Words of setup commands, which a run may skip because the setup is already done."""
_GIT_CHECKS = frozenset("commit push rebase merge pull cherry-pick apply".split())
"""Git subcommands whose failure is a valid result, because a hook, a conflict or a changed remote causes it."""
_CHECK_PROGRAMS = frozenset(
    "npm pnpm yarn make cargo go mvn gradle gradlew dotnet tsc eslint ruff mypy pyright ty black prettier biome tox nox"
    " pre-commit golangci-lint swift xcodebuild rake bundle composer phpunit just task flake8 pylint".split()
)
"""Programs whose failure is a valid result, because it shows a fault in the code, not in the text."""
_NEUTRAL_PROGRAMS = frozenset(
    "cd echo true export cat printf head tail grep jq test [ set unset tee sleep source pwd : fi if then else"
    " wc tr cut sort".split()
)
"""Programs that may run next to a command without changing what its output or its failure means."""


def parse_key(part: Words) -> Words:
    """Return the first words of a command, up to an option, a placeholder or a quoted word."""
    words: list[str] = []
    for word in part:
        word = _VARIABLE.sub("", word).strip("\"'") if "/" in word else word
        if not _LITERAL.fullmatch(word) or _OPTION.match(word) or _PLACEHOLDER.fullmatch(word) or word.isupper():
            break
        words.append(word.removeprefix("./"))
    return tuple(words)


def parse_form(part: Words) -> str:
    """Return a command with `_` for the parts that differ between uses: placeholders, numbers and quoted words."""
    words = []
    for word in part:
        name, sign, value = word.partition("=") if _OPTION.match(word) else (word, "", "")
        fixed = value if sign else name
        fixed = fixed if _LITERAL.fullmatch(fixed) and not _PLACEHOLDER.fullmatch(fixed) else "_"
        words.append(f"{name}={fixed}" if sign else fixed)
    return " ".join(words)


def parse_words(part: Words) -> Words:
    """Return all literal words of a command, including options but not redirections."""
    return tuple(word for word in part if _LITERAL.fullmatch(word) and not _REDIRECTION.match(word))


def list_options(part: Words) -> frozenset[str]:
    """Return the names of the options of a command, without their values."""
    return frozenset(word.partition("=")[0] for word in part if _OPTION.match(word))


def is_specific(key: Words) -> bool:
    """Return whether a command with this key, unlike the name of a common program, shows that a line was followed."""
    program = key[0].rpartition("/")[2] if key else ""
    if not program or program in _EVERYDAY_PROGRAMS:
        return False
    if program in INTERPRETERS:
        return len(key) > 1 and ("/" in key[1] or "." in key[1])
    return len(key) > 1 or "/" in key[0]


def is_check(part: Words) -> bool:
    """Return whether a command tests, lints or builds, so that its failure may be a valid result."""
    program = part[0].rpartition("/")[2] if part else ""
    is_git = program == "git" and not _GIT_CHECKS.isdisjoint(part[1:3])
    return is_git or program in _CHECK_PROGRAMS or runs_tests(part)


def is_common(part: Words) -> bool:
    """Return whether a command is so common that it does not show that a step was reached."""
    return bool(part) and part[0].rpartition("/")[2] in _COMMON_PROGRAMS


def matches(key: Words, part: Words) -> bool:
    """Return whether a command that ran begins with the words of a key. Its paths may have more leading folders."""
    return bool(key) and len(part) >= len(key) and all(map(_is_same_word, key, part))


def is_setup(key: Words) -> bool:
    """Return whether a command only prepares the machine, so that a run may skip it."""
    return not _SETUP_WORDS.isdisjoint(key)


def follows(key: Words, words: Words, part: Words) -> bool:
    """Return whether a command that ran follows the text's command with this key and these literal words."""
    return matches(key, part) and (key[0] not in _MULTI_PURPOSE_PROGRAMS or has_words(words, part))


def has_words(words: Words, part: Words) -> bool:
    """Return whether a command that ran starts the program `words[0]` and contains all other words, in any order."""
    return bool(words) and bool(part) and _is_same_word(words[0], part[0]) and set(words[1:]) <= set(part[1:])


def _is_same_word(word: str, actual: str) -> bool:
    """Return whether the actual word of a command equals a word of the text or is a longer path to the same file."""
    actual = actual.strip("\"'")
    return word == actual or ("/" in word and actual.endswith(f"/{word}")) or actual == f"./{word}"


@lru_cache(maxsize=4096)
def find_part(key: Words, text: str) -> int | None:
    """Return the index of the first simple command in shell code that matches a key, or None if none does."""
    return next((n for n, part in enumerate(split_commands(text)) if matches(key, part)), None)


@lru_cache(maxsize=4096)
def is_alone(text: str, index: int) -> bool:
    """Return whether only the simple command at `index` can cause the output and the failure of shell code."""
    parts = split_commands(text)
    return all(n == index or part[0].rpartition("/")[2] in _NEUTRAL_PROGRAMS for n, part in enumerate(parts))
