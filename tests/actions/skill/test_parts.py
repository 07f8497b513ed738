"""Test the parts of a skill: its files, references, repeated passages, and the text that a compaction keeps."""

import pickle

import pytest

from actions.memo import memoize
from actions.skill import parse_skill
from actions.skill.budget import find_last_surviving_line, find_lost_rules
from actions.skill.duplicates import find_repetitions
from actions.skill.example import HEAD
from actions.skill.references import find_broken_anchors, find_links, find_spans, is_missing, list_outward_targets

LONG = (
    "Take every open question of the list, ask the person who raised it, write the answer beside it, and close it only when"
    " both of you agree that it is settled for good; a question that nobody owns goes to the one who keeps the list."
)


def skill(**files):
    texts = {name.replace("__", "/").replace("_md", ".md").replace("_py", ".py"): text for name, text in files.items()}
    texts["SKILL.md"] = HEAD + texts.get("SKILL.md", "# X\n")
    return parse_skill("example", {path: text.encode() for path, text in texts.items()})


def test_skill_excludes_test_data_and_nested_skills():
    found = skill(
        SKILL_md="# X\n",
        references__a_md="# A\n",
        tests__t_md="# T\n",
        inner__SKILL_md="---\nname: y\n---\n",
        inner__b_md="# B\n",
    )
    assert [file.path for file in found.instructions] == ["SKILL.md", "references/a.md"]
    assert dict(found.unrelated_folders) == {"inner": 2, "tests": 1}


def test_reference_is_missing_only_without_file():
    found = skill(
        SKILL_md="[a](references/a.md) [b](references/b.md) `docs/c.md` `<x>/d.md` [e](https://e.org/x.md)\n",
        references__a_md="# A\n",
    )
    missing = [r.target for r in (*find_links(found.main), *find_spans(found.main)) if is_missing(found, r)]
    assert missing == ["references/b.md", "docs/c.md"]
    assert list_outward_targets(found) == {"references/b.md", "docs/c.md"}


def test_reference_to_surrounding_plugin_exists():
    from msgspec.structs import replace

    found = replace(skill(SKILL_md="[b](shared/b.md)\n"), outside=frozenset({"shared/b.md"}))
    assert not any(is_missing(found, r) for r in find_links(found.main))


def test_anchors_match_any_renderer():
    found = skill(
        SKILL_md='# Two Words!\n\n[a](#two-words) [b](#two-words-1) [c](#three)\n\n<a id="own"></a> [d](#own)\n'
    )
    assert [link.anchor for link in find_broken_anchors(found, found.main)] == ["three"]


def test_heading_that_the_parser_does_not_see_is_an_anchor():
    found = skill(
        SKILL_md="[a](#the-law) [b](#open-end) [c](#gone)\n\n<IMPORTANT>\n## The Law\n\n```text\n# Open end\n"
    )
    assert [link.anchor for link in find_broken_anchors(found, found.main)] == ["gone"]


def test_permalink_declares_an_anchor():
    found = skill(
        SKILL_md="### [Variables](#list-of-variables)\n\n| [#](#TAG) | Tag |\n|---|---|\n| [¶](#ROW) | Row |\n\n"
        "[Old builds](#old-builds)\n\n- [one](#one)\n\n"
        "See [variables](#list-of-variables), [tag](#TAG), [row](#ROW), [builds](#old-builds), [all](#all).\n"
    )
    assert [link.anchor for link in find_broken_anchors(found, found.main)] == ["one", "all"]


@pytest.mark.parametrize(
    "text", ["[0](MON) [0,2, 4](MON/WED/FRI)", "[Related](relative-link.md) [Link](url) [it](file.md)"]
)
def test_samples_are_not_links(text):
    found = skill(SKILL_md=f"{text} [1](notes/one.md)\n")
    assert [link.target for link in find_links(found.main)] == ["notes/one.md"]


def test_repetitions_ignore_markup():
    found = skill(
        SKILL_md=f"# X\n\n{LONG}\n\nRead `references/`.\n",
        references__a_md=f"# A\n\n- {LONG.replace('every', '**every**')}\n",
    )
    (found_once,) = find_repetitions(found)
    assert [str(place) for place in found_once.places] == ["SKILL.md:8-8", "references/a.md:3-3"]


def test_repetitions_join_adjacent_blocks():
    found = skill(
        SKILL_md=f"# X\n\n{LONG}\n\n{LONG} Twice.\n\nShort one.\n\nRead `references/`.\n",
        references__a_md=f"{LONG}\n\n{LONG} Twice.\n\nShort one.\n",
    )
    (passage,) = find_repetitions(found)
    assert [str(place) for place in passage.places] == ["SKILL.md:8-12", "references/a.md:1-5"]


def test_skill_mentions_whole_words_in_any_file():
    found = skill(SKILL_md="# X\n\nuse `foo`\n", scripts__a_py="foobar = 1\n")
    assert found.is_mentioned("foo")
    assert not found.is_mentioned("fooba")
    assert not found.is_mentioned("foo", ignored_lines=frozenset({("SKILL.md", 8)}))


def test_lost_rules_are_after_the_cut_and_nowhere_else():
    filler = "Plain words that bind no one.\n\n" * 900
    late = "You MUST ask the owner before anything is deleted.\n\nNEVER push to the main branch by yourself.\n"
    found = skill(SKILL_md=f"# X\n\n{filler}{late}", references__a_md="NEVER push to the main branch by yourself.\n")
    assert [rule.text for rule in find_lost_rules(found)] == ["You MUST ask the owner before anything is deleted."]
    assert find_last_surviving_line(found) < len(found.main.doc.lines)
    assert find_lost_rules(skill(SKILL_md=f"# X\n\n{late}")) == []


def test_skill_is_pickled_as_bytes():
    found = skill(SKILL_md="# X\n", scripts__a_py="f(1)\n")
    assert [code.root.type for code in found.scripts[0].codes] == ["module"]
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.scripts[0].codes[0].text == "f(1)\n"


def test_memoize_computes_once_per_subject():
    seen = []

    @memoize
    def reads(file):
        seen.append(file.path)
        return file.path

    found = skill(references__a_md="# A\n")
    assert [reads(found.main), reads(found.main)] == ["SKILL.md"] * 2
    assert seen == ["SKILL.md"]


@pytest.mark.parametrize(
    ("head", "characters"),
    [
        ("name: x\ndescription: Counts", 7),
        ("name: x\ndescription: Counts\nwhen_to_use: Ever", 14),
        ("name: x\nwhen_to_use: Ever", 5),
        (f"name: x\ndescription: {'y' * 1530}\nwhen_to_use: {'z' * 90}", 1537),
    ],
)
def test_listing_tokens_count_when_to_use_and_the_cut(head, characters):
    parsed = parse_skill("x", {"SKILL.md": f"---\n{head}\n---\n# X\n".encode()})
    assert parsed.listing_tokens == int(characters / 4 + 0.5)
