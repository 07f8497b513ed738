"""Write drafts as YAML that a person can edit."""

from typing import Any

import yaml


class _Dumper(yaml.SafeDumper):
    """Writes multi-line texts as blocks, and never writes aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return True, so that each value is written out in full."""
        return True


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _write_text)


def format_yaml(value: Any) -> str:
    """Format a value as YAML, keeping the order of its keys."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
