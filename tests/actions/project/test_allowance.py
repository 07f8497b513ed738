"""Test the token allowance of a question: its requests together stay within it, whatever is looked up."""

import pytest

from actions.project.allowance import BASE_LIMIT, MIN_LOOKUP_BYTES, Allowance, make_allowance, measure
from actions.project.lookup import Library
from actions.project.lookup_log import NOTHING_SHOWN, Lookup
from actions.skill.text import estimate_tokens
from tests.actions.project.test_lookup import make_project

FILES = {f"docs/{n:02d}.md": f"# Birds {n}\n" + 'A "calm" day\\n, by the sea.\n' * 300 for n in range(40)}
LIBRARY = Library(make_project({**FILES, "small.md": "One bird.\n"}), "skills/plover", 10_000)


def total_tokens_of_batches(allowance, *batches, ends_without_room=False):
    """Return the total tokens of the requests: one for each batch of look-ups, and a last one with the answer."""
    log, sent, total, texts = NOTHING_SHOWN, 0, allowance.question, []
    for number, batch in enumerate(batches):
        if ends_without_room and number and not log.has_room(allowance):
            break
        for lookup in batch:
            text, log = LIBRARY.look_up(Lookup(*lookup, batch=f"request {number}"), log, allowance)
            texts.append(text)
            sent += measure(text) + 300 + measure(lookup)
        total += allowance.question + estimate_tokens(sent)
    return total, log, texts


LOOK_AT_ALL, SEARCH = (tuple(FILES),), ((), "calm")


@pytest.mark.parametrize(
    "batches",
    [
        [[LOOK_AT_ALL]],
        [[LOOK_AT_ALL], [LOOK_AT_ALL]],
        [[LOOK_AT_ALL, SEARCH, LOOK_AT_ALL], [LOOK_AT_ALL, LOOK_AT_ALL]],
        [[SEARCH], [SEARCH], [SEARCH], [SEARCH]],
        [[(("small.md",),)], [LOOK_AT_ALL], [LOOK_AT_ALL]],
        [[(("docs/*.md",),), (("docs/",),)], [(tuple(f"../{n}{'x' * 300}" for n in range(60)),)]],
    ],
)
@pytest.mark.parametrize("question", [4_000, 8_500, 13_000])
def test_requests_of_a_question_stay_within_the_allowance(batches, question):
    total = total_tokens_of_batches(Allowance(BASE_LIMIT, question), *batches, ends_without_room=True)[0]
    assert total <= BASE_LIMIT + 1_000, "only the model's own text may exceed the limit"


def test_first_batch_leaves_room_for_a_second():
    _, log, texts = total_tokens_of_batches(Allowance(BASE_LIMIT, 8_500), [LOOK_AT_ALL])
    assert 35_000 < sum(lookup.size for lookup in log.sent) < 60_000
    assert "left for the calls that you make together next: about " in texts[-1]
    assert log.has_room(Allowance(BASE_LIMIT, 8_500))


def test_calls_of_one_batch_share_its_room():
    _, log, texts = total_tokens_of_batches(Allowance(BASE_LIMIT, 8_500), [LOOK_AT_ALL, SEARCH, *[LOOK_AT_ALL] * 9])
    assert "found in 40 of 41 searched files" in texts[1], "files leave room for searches"
    assert texts[-1].startswith("nothing shown: the other look-ups that you requested at once")
    assert "\nleft for the calls that you make together next: about " in texts[-1]
    assert sum(lookup.size for lookup in log.sent) < 60_000
    assert [batch.name for batch in log.batches] == ["request 0"]


def test_small_files_are_whole_and_large_ones_share_the_rest():
    text = total_tokens_of_batches(Allowance(BASE_LIMIT, 8_500), [((*FILES, "small.md"),)])[2][0]
    assert "=== small.md, lines 1 to 1 of 1\n" in text
    assert "=== docs/00.md, lines 1 to " in text, "if there is too little room for all files, the first ones are shown"
    assert text.count("; the rest: `docs/") > 20
    text = total_tokens_of_batches(Allowance(BASE_LIMIT, 8_500), [((*[*FILES][:12], "small.md"),)])[2][0]
    assert text.count("; the rest: `docs/") == 12


def test_cut_file_lists_the_headings_of_its_rest():
    body = "# Birds\n" + "A calm day.\n" * 5_000 + "## Terns\n" + "A calm day.\n" * 5_000
    text, _ = Library(make_project({"a.md": body})).look_up(
        Lookup(("a.md",)), NOTHING_SHOWN, Allowance(BASE_LIMIT, 8_500)
    )
    assert "--- in the rest: 5002 Terns\n" in text


def test_file_above_the_allowance_is_refused_with_its_size():
    allowance = Allowance(BASE_LIMIT, 8_500)
    text = total_tokens_of_batches(allowance, [LOOK_AT_ALL], [(tuple(FILES)[:30],)])[2][-1]
    assert "not shown, too large for what is left: docs/" in text
    assert "docs/29.md (8 KB); ask for some lines" in text


def test_used_up_allowance_is_reported():
    allowance = Allowance(BASE_LIMIT, 8_500)
    *_, last_text = total_tokens_of_batches(allowance, [LOOK_AT_ALL], [LOOK_AT_ALL], [LOOK_AT_ALL])[2]
    assert last_text == "Nothing is left for look-ups of this question. Answer now, from what you have seen."


def test_allowance_grows_with_the_unit():
    schema = {"type": "object"}
    small_allowance, large_allowance = (
        make_allowance("x" * 40_000, schema, 10_000),
        make_allowance("x" * 40_000, schema, 30_000),
    )
    assert (small_allowance.limit, large_allowance.limit) == (58_000, 112_000)
    assert large_allowance.get_room([]) > 2 * small_allowance.get_room([])
    assert make_allowance("x" * 14_000, schema, 400_000).limit == 64_000, "only the shown part of a unit counts"


def test_long_question_leaves_at_least_one_batch():
    assert Allowance(BASE_LIMIT, 20_000).get_room([]) > MIN_LOOKUP_BYTES
    assert Allowance(BASE_LIMIT, 29_000).get_room([]) == 0
