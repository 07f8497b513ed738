"""Test the edits of a draft whose validity depends on the whole skill."""

import pytest

from actions.review.replacements import InvalidDraft, apply_replacements
from tests.fakes import make_case

TEXT = "Get https://egret.example/a with `curl $X`.\n"


def make_new_file(text):
    return {"file": "references/risky.md", "search": "", "replace": text}


def test_text_with_network_access_may_move_to_a_new_file():
    skill = make_case(TEXT).skill
    result = apply_replacements(
        [{"file": "SKILL.md", "search": TEXT, "replace": "See it."}, make_new_file(TEXT)], skill
    )
    assert result["references/risky.md"].decode() == TEXT
    with pytest.raises(InvalidDraft, match=r"risky\.md add a URL: 'https://evil\.example/a'; leave it out"):
        apply_replacements([make_new_file(TEXT.replace("egret", "evil"))], skill)
