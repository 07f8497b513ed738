"""Recognize files that contain secrets by their paths."""

from actions.regex import regex

_SECRET_NAME = regex(
    r"""(?x)^(?:
        \.env(?:[^a-z0-9].*)? | .+\.env(?:\.(?:local|dev|development|test|staging|prod|production|enc))? | \.envrc.*
      | \.dev\.vars.* | \.flaskenv | wp-config\.php | localsettings\.php | (?:.*[._-])?vault[._-]?pass(?:\.txt)?
      | (?:.*[._-])?(?:api|access|auth|private|encryption|master|bot|github|slack|bearer)[_-]?(?:key|token)
        (?:\.(?:txt|json|ya?ml|ini|cfg|conf|dat|bin))?
      | .+\.(?:p8|keytab|kdb|ovpn) | .+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg|age|tfstate|tfvars)
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


def is_secret_path(path: str) -> bool:
    """Return whether the name of a file, or of a folder above it, shows that the file contains secrets."""
    if _SECRET_FOLDER.search(path.lower()):
        return True
    name = _BACKUP_ENDING.sub("", path.lower().rpartition("/")[2])
    words = set(_WORD.findall(name))
    has_word = not words.isdisjoint(_SECRET_WORDS) and not _TEXT_NAME.search(name)
    return (has_word or _SECRET_NAME.match(name) is not None) and words.isdisjoint(_SAMPLE_WORDS)
