"""Test the words of a hook's command."""

import random
import shlex

from actions.project.hooks_file import split_command

PIECES = ["'", '"', "\\", "#", " ", "\n", "\t", "a", "b", "$", "é", "\x0b", '\\"', "''"]


def test_split_command_returns_the_words_of_shlex():
    """`shlex` itself needs seconds for a word of 500,000 characters."""
    choices = random.Random(1)
    commands = ["".join(choices.choices(PIECES, k=choices.randint(0, 12))) for _ in range(5_000)]
    for command in ['a "b\\$ \\" c" \'d\'"e"\\ f # g\nh', "''", *commands]:
        try:
            words = shlex.split(command, comments=True)
        except ValueError:
            words = []
        assert split_command(command) == words, command
