"""Split prompts into a training half for the drafter and a held-out half for the exam of the finalist.

A prompt is exposed if a drafter saw it or an earlier exam used it. It can then only be used for training. A held-out
prompt that was not used stays held out. New prompts are split in half by the digests of their words, separately for the
prompts that expect the skill and for all others.
"""

from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256

import msgspec

from actions.grouping import group_by_key
from actions.regex import regex
from actions.trigger.prompts import Prompt, find_quoted_skills, list_phrases

_WORD = regex(r"\w+")
_MIN_SHARED = 0.8
"""Minimum share of the longer prompt's words that two similar prompts have in common."""


class Split(msgspec.Struct, frozen=True):
    """The prompts of a tuning. The drafter sees `train`. Only the exam uses `held_out`."""

    train: tuple[Prompt, ...]
    held_out: tuple[Prompt, ...]


def hash_prompt(prompt: Prompt) -> str:
    """Return the digest of the words of a prompt."""
    return sha256(" ".join(_WORD.findall(prompt.text.casefold())).encode("utf-8", "backslashreplace")).hexdigest()


def split_prompts(
    prompts: Sequence[Prompt], target: str, exposed: Collection[str] = (), unused: Collection[str] = ()
) -> Split:
    """Split prompts into halves. `target` is the tuned skill.

    exposed: the digests of prompts that can only be used for training. unused: the digests of prompts that an earlier
    tuning held out and did not use, and that stay held out.
    """
    held_out = {hash_prompt(prompt) for prompt in prompts if hash_prompt(prompt) in unused}
    new_prompts = [prompt for prompt in prompts if hash_prompt(prompt) not in {*exposed, *held_out}]
    for group in group_by_key((prompt.expected == target, prompt) for prompt in new_prompts).values():
        sorted_hashes = sorted(map(hash_prompt, group))
        held_out |= set(sorted_hashes[1::2])
    train = tuple(prompt for prompt in prompts if hash_prompt(prompt) not in held_out)
    return Split(train, tuple(prompt for prompt in prompts if hash_prompt(prompt) in held_out))


def is_in_text(prompt: Prompt, text: str) -> bool:
    """Return whether a text contains all words of a prompt, or eight consecutive words of it, in order."""
    own_words, words = (f" {' '.join(_WORD.findall(text_side.casefold()))} " for text_side in (prompt.text, text))
    return own_words in words or bool(find_quoted_skills(prompt.text, {"": list_phrases(text)}))


def find_similar_prompts(split: Split) -> Iterator[tuple[Prompt, Prompt]]:
    """Yield each pair of similar prompts with one prompt in each half of the split.

    Such a pair weakens the exam, because the description was already tuned for one of the two prompts.
    """
    all_prompts = (*split.train, *split.held_out)
    words = {prompt.name: frozenset(_WORD.findall(prompt.text.casefold())) for prompt in all_prompts}
    for seen in split.train:
        for other in split.held_out:
            seen_words, other_words = words[seen.name], words[other.name]
            if len(seen_words & other_words) >= _MIN_SHARED * max(len(seen_words), len(other_words)):
                yield seen, other
