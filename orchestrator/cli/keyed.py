"""A question in a terminal that is answered with a key, as in `git add -p`."""

from collections.abc import Mapping

import click


def keyed(text: str, words: Mapping[str, str], help_: str) -> str:
    """Return one of the keys of `words`: given so or as its word, in either case; asked anew for what is none of them.

    A bare Enter decides nothing: the question comes again. Raises KeyboardInterrupt.
    """
    while True:
        try:
            prompt = f"{text} [{','.join(words)},?]"
            given = click.prompt(prompt, default="", show_default=False, prompt_suffix=" ", err=True).strip().lower()
        except click.Abort:
            raise KeyboardInterrupt from None  # Abort is an Exception, and the loop would take it for a failing action
        if given in (*words, *words.values()):
            return str(given[0])
        if given:
            click.echo(help_, err=True)
