"""Recognize files and lines that may hold a secret: a key, a password, a token. They are never sent to a model."""

import re
from collections.abc import Iterator

_DATA = r"(?:json|ya?ml|toml|ini|txt|csv|cfg|conf|properties|xml)"
_SECRET_NAME = re.compile(
    rf"""(?ix)^(?:
        \.env(?:\..+)? | .+\.env | \.envrc
      | .+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg|tfstate|tfvars)(?:\.backup)?
      | id_(?:rsa|dsa|ecdsa|ed25519)(?:\..+)?
      | [._]netrc | \.npmrc | \.pypirc | \.git-credentials | \.htpasswd | \.pgpass | \.my\.cnf | kubeconfig
      | \.?(?:credentials?|secrets?|tokens?|auth|passwords?)(?:\.{_DATA})?
      | (?:service[-_]account|client[-_]secret).*\.json
    )$"""
)
_SAMPLE_NAME = re.compile(r"(?i)\.(?:example|sample|template|dist)$")
_SECRET_FOLDERS = frozenset({".ssh", ".aws", ".gnupg", ".kube", ".docker", ".secrets", "secrets"})
_KEY_BEGIN, _KEY_END = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY"), re.compile(r"-----END [A-Z ]*PRIVATE KEY")
_TOKEN = re.compile(
    r"(?<![\w-])(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_\w{30,}|github_pat_\w{22,}|glpat-[\w-]{20,}|xox[abprs]-[\w-]{10,}"
    r"|AIza[\w-]{35}|sk-(?=[\w-]*\d)[\w-]{20,}|[sr]k_live_\w{16,}|npm_\w{36}|pypi-[\w-]{16,}|hf_\w{30,}"
    r"|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}|SG\.[\w-]{16,}\.[\w-]{16,})|://[^\s/:@]+:[^\s/@]{3,}@"
)
_ASSIGNED = re.compile(
    r"(?i)(?:passw(?:or)?d|secret|token|api[_-]?key|access[_-]?key|credential)\w*[\"']?\s*[:=]\s*[\"']?"
    r"(?=[^\s\"']*[0-9])(?=[^\s\"']*[a-z])([^\s\"'<>{}$()]{16,})"
)
WITHHELD = "[withheld: it looks like a secret]"


def is_secret_path(path: str) -> bool:
    """Return whether a file is known by its name, or a folder above it, to hold secrets."""
    *folders, name = path.split("/")
    is_named = _SECRET_NAME.match(name) is not None and not _SAMPLE_NAME.search(name)
    return is_named or not _SECRET_FOLDERS.isdisjoint(folders)


def withhold_secrets(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines with each one that looks like a secret replaced, also all lines of a private key."""
    in_key = False
    for line in lines:
        in_key = in_key or _KEY_BEGIN.search(line) is not None
        is_secret = in_key or _TOKEN.search(line) or _ASSIGNED.search(line)
        in_key = in_key and not _KEY_END.search(line)
        yield WITHHELD if is_secret else line
