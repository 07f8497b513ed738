"""Test the parts of a skill: its files, references, repeated passages, and the text that a compaction keeps."""

import pickle

import pytest
from msgspec.structs import replace

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


def make_skill(**files):
    texts = {name.replace("__", "/").replace("_md", ".md").replace("_py", ".py"): text for name, text in files.items()}
    texts["SKILL.md"] = HEAD + texts.get("SKILL.md", "# X\n")
    return parse_skill("example", {path: text.encode() for path, text in texts.items()})


def test_skill_excludes_test_data_and_nested_skills():
    skill = make_skill(
        SKILL_md="# X\n",
        references__a_md="# A\n",
        tests__t_md="# T\n",
        inner__SKILL_md="---\nname: y\n---\n",
        inner__b_md="# B\n",
    )
    assert [file.path for file in skill.instructions] == ["SKILL.md", "references/a.md"]
    assert dict(skill.unrelated_folders) == {"inner": 2, "tests": 1}


def test_reference_is_missing_only_without_file():
    skill = make_skill(
        SKILL_md="[a](references/a.md) [b](references/b.md) `docs/c.md` `<x>/d.md` [e](https://e.org/x.md)\n",
        references__a_md="# A\n",
    )
    missing = [r.target for r in (*find_links(skill.main), *find_spans(skill.main)) if is_missing(skill, r)]
    assert missing == ["references/b.md", "docs/c.md"]
    assert list_outward_targets(skill) == {"references/b.md", "docs/c.md"}


def test_reference_to_surrounding_plugin_exists():
    skill = replace(make_skill(SKILL_md="[b](shared/b.md)\n"), outside=frozenset({"shared/b.md"}))
    assert not any(is_missing(skill, r) for r in find_links(skill.main))


def test_anchors_match_any_renderer():
    skill = make_skill(
        SKILL_md='# Two Words!\n\n[a](#two-words) [b](#two-words-1) [c](#three)\n\n<a id="own"></a> [d](#own)\n'
    )
    assert [link.anchor for link in find_broken_anchors(skill, skill.main)] == ["three"]


def test_heading_that_the_parser_does_not_find_is_an_anchor():
    skill = make_skill(
        SKILL_md="[a](#the-law) [b](#open-end) [c](#gone)\n\n<IMPORTANT>\n## The Law\n\n```text\n# Open end\n"
    )
    assert [link.anchor for link in find_broken_anchors(skill, skill.main)] == ["gone"]


def test_permalink_declares_an_anchor():
    skill = make_skill(
        SKILL_md="### [Variables](#list-of-variables)\n\n| [#](#TAG) | Tag |\n|---|---|\n| [¶](#ROW) | Row |\n\n"
        "[Old builds](#old-builds)\n\n- [one](#one)\n\n"
        "See [variables](#list-of-variables), [tag](#TAG), [row](#ROW), [builds](#old-builds), [all](#all).\n"
    )
    assert [link.anchor for link in find_broken_anchors(skill, skill.main)] == ["one", "all"]


@pytest.mark.parametrize(
    "text", ["[0](MON) [0,2, 4](MON/WED/FRI)", "[Related](relative-link.md) [Link](url) [it](file.md)"]
)
def test_samples_are_not_links(text):
    skill = make_skill(SKILL_md=f"{text} [1](notes/one.md)\n")
    assert [link.target for link in find_links(skill.main)] == ["notes/one.md"]


def test_repetitions_ignore_markup():
    skill = make_skill(
        SKILL_md=f"# X\n\n{LONG}\n\nRead `references/`.\n",
        references__a_md=f"# A\n\n- {LONG.replace('every', '**every**')}\n",
    )
    (passage,) = find_repetitions(skill)
    assert [str(place) for place in passage.places] == ["SKILL.md:8-8", "references/a.md:3-3"]


def test_repetitions_join_adjacent_blocks():
    skill = make_skill(
        SKILL_md=f"# X\n\n{LONG}\n\n{LONG} Twice.\n\nShort one.\n\nRead `references/`.\n",
        references__a_md=f"{LONG}\n\n{LONG} Twice.\n\nShort one.\n",
    )
    (passage,) = find_repetitions(skill)
    assert [str(place) for place in passage.places] == ["SKILL.md:8-12", "references/a.md:1-5"]


def test_skill_mentions_whole_words_in_any_file():
    skill = make_skill(SKILL_md="# X\n\nuse `foo`\n", scripts__a_py="foobar = 1\n")
    assert skill.is_mentioned("foo")
    assert not skill.is_mentioned("fooba")
    assert not skill.is_mentioned("foo", ignored_lines=frozenset({("SKILL.md", 8)}))


def test_lost_rules_are_after_the_cut_and_nowhere_else():
    filler = "Plain words that bind no one.\n\n" * 900
    late = "You MUST ask the owner before anything is deleted.\n\nNEVER push to the main branch by yourself.\n"
    skill = make_skill(
        SKILL_md=f"# X\n\n{filler}{late}", references__a_md="NEVER push to the main branch by yourself.\n"
    )
    assert [rule.text for rule in find_lost_rules(skill)] == ["You MUST ask the owner before anything is deleted."]
    assert find_last_surviving_line(skill) < len(skill.main.doc.lines)
    assert find_lost_rules(make_skill(SKILL_md=f"# X\n\n{late}")) == []


def test_skill_is_pickled_as_bytes():
    skill = make_skill(SKILL_md="# X\n", scripts__a_py="f(1)\n")
    assert [code.root.type for code in skill.scripts[0].codes] == ["module"]
    unpickled = pickle.loads(pickle.dumps(skill))
    assert unpickled == skill
    assert unpickled.scripts[0].codes[0].text == "f(1)\n"


def test_memoize_computes_once_per_subject():
    calls = []

    @memoize
    def read_path(file):
        calls.append(file.path)
        return file.path

    skill = make_skill(references__a_md="# A\n")
    assert [read_path(skill.main), read_path(skill.main)] == ["SKILL.md"] * 2
    assert calls == ["SKILL.md"]


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
