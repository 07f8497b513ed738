"""Split the prompts of a tuning into a training half for the drafter and a held-out half for the finalist.

A prompt is spent if a drafter saw it or if it decided an earlier tuning. It can then only be used for training. A
prompt that was held out and not used stays sealed, that is, held out. New prompts are split in half by the digests of
their words, separately for the prompts that expect the skill and for all others.
"""

from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256

import msgspec

from actions.grouping import group_by_key
from actions.regex import regex
from actions.trigger.prompts import Prompt, find_quoted, list_phrases

_WORD = regex(r"\w+")
_MIN_SHARED = 0.8
"""Two prompts that share at least this fraction of the longer one's words are near copies."""


class Split(msgspec.Struct, frozen=True):
    """The prompts of a tuning. The drafter sees `train`. It never sees `held_out`, which is sealed until the exam."""

    train: tuple[Prompt, ...]
    held_out: tuple[Prompt, ...]


def hash_prompt(prompt: Prompt) -> str:
    """Return the digest of the words of a prompt."""
    return sha256(" ".join(_WORD.findall(prompt.text.casefold())).encode("utf-8", "backslashreplace")).hexdigest()


def split_prompts(
    prompts: Sequence[Prompt], target: str, spent: Collection[str] = (), sealed: Collection[str] = ()
) -> Split:
    """Split prompts into halves. `target` is the tuned skill; `spent` and `sealed` are digests from earlier tunings."""
    held = {hash_prompt(prompt) for prompt in prompts if hash_prompt(prompt) in sealed}
    fresh = [prompt for prompt in prompts if hash_prompt(prompt) not in {*spent, *held}]
    for group in group_by_key((prompt.expected == target, prompt) for prompt in fresh).values():
        ordered = sorted(map(hash_prompt, group))
        held |= set(ordered[1::2])
    train = tuple(prompt for prompt in prompts if hash_prompt(prompt) not in held)
    return Split(train, tuple(prompt for prompt in prompts if hash_prompt(prompt) in held))


def is_in_text(prompt: Prompt, text: str) -> bool:
    """Return whether a text reveals a prompt to a drafter.

    It does if it contains all words of the prompt, or eight consecutive ones, in order.
    """
    ours, theirs = (f" {' '.join(_WORD.findall(text_side.casefold()))} " for text_side in (prompt.text, text))
    return ours in theirs or bool(find_quoted(prompt.text, {"": list_phrases(text)}))


def find_near_copies(split: Split) -> Iterator[tuple[Prompt, Prompt]]:
    """Yield each pair of nearly equal prompts with one prompt in each half of the split.

    If there are such pairs, the exam tests prompts that the description was already tuned for.
    """
    both = (*split.train, *split.held_out)
    words = {prompt.name: frozenset(_WORD.findall(prompt.text.casefold())) for prompt in both}
    for seen in split.train:
        for other in split.held_out:
            ours, theirs = words[seen.name], words[other.name]
            if len(ours & theirs) >= _MIN_SHARED * max(len(ours), len(theirs)):
                yield seen, other
