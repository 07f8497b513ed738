"""Ask a question that the user answers with a single key in a terminal, as in `git add -p`."""

from collections.abc import Mapping

import click


def ask_key(text: str, words: Mapping[str, str], help_: str) -> str:
    """Return the key that the user chose, one of the keys of `words`.

    The user can type the key or its word, in upper or lower case. After any other input the question is repeated,
    with the help unless the input was empty. Raises KeyboardInterrupt after Ctrl-C.
    """
    while True:
        try:
            prompt = f"{text} [{','.join(words)},?]"
            answer = click.prompt(prompt, default="", show_default=False, prompt_suffix=" ", err=True).strip().lower()
        except click.Abort:
            raise KeyboardInterrupt from None  # the run would treat Abort, an Exception, as a failed action
        if answer in (*words, *words.values()):
            return str(answer[0])
        if answer:
            click.echo(help_, err=True)
