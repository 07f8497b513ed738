"""Recognize files, lines and words that may be a secret (a key, a password, a token), so that no model sees them."""

from actions.secrets.hiding import WITHHELD, hide_secrets, withhold_secrets, withhold_values
from actions.secrets.paths import is_secret_path

__all__ = ["WITHHELD", "hide_secrets", "is_secret_path", "withhold_secrets", "withhold_values"]
