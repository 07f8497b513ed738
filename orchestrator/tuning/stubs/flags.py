"""Parse the flags of a stub strictly. A flag that the stub does not have is an error."""

from collections.abc import Mapping, Sequence

from orchestrator.tuning.stubs.program import StubError

Flags = Mapping[str, str]
"""The flags of a command: a map from each spelling to the long name, which ends with `=` if the flag takes a value."""


def build_flags(*specs: str) -> Flags:
    """Return flags from specifications such as `-L --limit=` and `-w --web`."""
    found: dict[str, str] = {}
    for spec in specs:
        *short, long = spec.split()
        found |= dict.fromkeys((*short, long.removesuffix("=")), long)
    return found


def parse(arguments: Sequence[str], flags: Flags, unknown: str) -> tuple[list[str], dict[str, list[str]]]:
    """Return the positional arguments, and the values of each flag by its long name. The value of a switch is "".

    unknown: the message for an unknown flag, with `{}` for its name. Raises StubError for an unknown flag, or for a
    flag without its value.
    """
    positional, values = list[str](), dict[str, list[str]]()
    remaining = list(arguments)
    while remaining:
        word = remaining.pop(0)
        if word == "--":
            return [*positional, *remaining], values
        if not word.startswith("-") or word == "-":
            positional.append(word)
            continue
        name, equals, value = word.partition("=") if word.startswith("--") else (word[:2], "", "")
        long = flags.get(name)
        if long is None:
            raise StubError(unknown.format(word if word.startswith("--") else f"{word[1:2]!r} in {word}"))
        if long.endswith("="):
            value = value if equals else word[2:] if not word.startswith("--") else ""
            if not (equals or value):
                if not remaining:
                    raise StubError(f"flag needs an argument: {name}")
                value = remaining.pop(0)
            values.setdefault(long.removesuffix("="), []).append(value)
        else:
            values.setdefault(long, []).append("")
            if not word.startswith("--") and len(word) > 2:  # several short switches in one word
                remaining.insert(0, f"-{word[2:]}")
    return positional, values
