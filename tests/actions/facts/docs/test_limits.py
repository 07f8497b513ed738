"""Limits in whole sentences: the same sentence with another number clashes, another sentence does not."""

import pytest

from actions.example import example_case
from actions.facts.docs.disputes import disputes


def clashes(**files):
    named = {f"{name}.md": text for name, text in files.items()}
    named["SKILL.md"] = named.pop("SKILL.md", "# Example\n")
    return [(d.odd.text, d.usual.text) for d in disputes(example_case(named).skill)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A parcel weighs at most 20 kg.", "A parcel weighs at most 30 kg."),
        ("Wait no longer than 5 minutes for the courier.", "Wait no longer than 90 seconds for the courier."),
        ("每个包裹的重量不超过 20 公斤。", "每个包裹的重量不超过 30 公斤。"),
    ],
)
def test_one_sentence_with_two_numbers_clashes(one, other):
    assert len(clashes(SKILL=f"# Post\n\n{one}\n", specs=f"# Rules\n\n{other}\n")) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Wait no longer than 5 minutes for the courier.", "Wait no longer than 300 seconds for the courier."),
        ("A parcel weighs at most 20 kg.", "A letter weighs at most 1 kg."),
        ("A parcel weighs at most 20 kg.", "A parcel weighs at least 1 kg."),
        ("In phase 1 send 20 parcels.", "In phase 2 send 30 parcels."),
        ("At most 3 retries.", "At most 5 retries."),
    ],
)
def test_equal_amounts_other_things_and_too_few_words_do_not(one, other):
    assert clashes(SKILL=f"# Post\n\n{one}\n", specs=f"# Rules\n\n{other}\n") == []
