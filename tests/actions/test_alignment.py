"""Test the alignment of two sequences."""

from difflib import SequenceMatcher
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.alignment import Alignment, Opcode
from tests.growth import grows_at_most, measure_seconds

ITEMS = st.lists(st.sampled_from("abcdefgh"), max_size=20)


@given(old=ITEMS, new=ITEMS)
def test_alignment_covers_both_sequences_in_order(old, new):
    opcodes = Alignment(old, new).opcodes
    assert [item for op in opcodes for item in old[op.i1 : op.i2]] == old
    assert [item for op in opcodes for item in new[op.j1 : op.j2]] == new
    assert all(op.is_equal == (old[op.i1 : op.i2] == new[op.j1 : op.j2]) for op in opcodes)
    assert all(op.is_equal != next_op.is_equal for op, next_op in pairwise(opcodes))


def test_alignment_keeps_unmoved_items():
    opcodes = Alignment("abcdef", "abXcef").opcodes
    assert opcodes == [
        Opcode(True, 0, 2, 0, 2),
        Opcode(False, 2, 2, 2, 3),
        Opcode(True, 2, 3, 3, 4),
        Opcode(False, 3, 4, 4, 4),
        Opcode(True, 4, 6, 4, 6),
    ]


def test_alignment_matches_many_repeated_items():
    old = ["row", "rule"] * 2_000
    new = [*old[:1_000], "added", *old[1_000:3_000], *old[3_001:]]
    assert sum(block.size for block in Alignment(old, new).blocks) >= len(old) - 1_001


KINDS = {
    "alternating": lambda n: (f"old {n}", f"new {n}") if n % 2 else (f"kept {n}",) * 2,
    "empty lines": lambda n: (f"old {n}", f"new {n}") if n % 2 else ("",) * 2,
    "few lines": lambda n: (f"kept {n * n % 7}", "new" if n % 8 == 0 else f"kept {n * n % 7}"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_alignment_takes_twice_the_time_for_twice_the_items(kind):
    def measure(many):
        old, new = zip(*map(KINDS[kind], range(many)), strict=True)
        return measure_seconds(lambda: Alignment(old, new))

    assert grows_at_most(measure, 8_000, 16_000, factor=2.4)
    assert measure(16_000) < 2


def test_alignment_of_short_texts_is_as_good_as_that_of_difflib():
    old = "The pilot books a berth and pays for it before the ship arrives".split()
    new = "The pilot pays for a berth before the ship arrives and books it".split()
    blocks = SequenceMatcher(None, old, new).get_matching_blocks()
    assert sum(block.size for block in Alignment(old, new).blocks) >= sum(block.size for block in blocks)
