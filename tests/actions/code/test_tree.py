"""Code is read as far as it parses; nothing is concluded from what does not."""

import pytest

from actions.code.calls import agent_calls, calls, commands, tool_calls
from actions.code.languages import BASH, JAVASCRIPT, PYTHON, TYPESCRIPT, find_language
from actions.code.literals import literal
from actions.code.tree import Code


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("js", JAVASCRIPT),
        (".mjs", JAVASCRIPT),
        ("TSX", TYPESCRIPT),
        ("py", PYTHON),
        ("zsh", BASH),
        ("", None),
        ("json", None),
    ],
)
def test_a_fence_word_or_an_ending_names_the_language(name, language):
    assert find_language(name) == language


def test_a_call_has_its_arguments_by_place_and_by_name_and_its_variable():
    code = Code(JAVASCRIPT, "x()\nconst r = await Task({subagent_type: 'Explore', 'prompt': `look at ${part}`})\n", 10)
    call = calls(code)[1]
    assert (call.name, call.line, call.assigned) == ("Task", 11, "r")
    assert literal(code, call.named["subagent_type"]) == "Explore"
    assert literal(code, call.named["prompt"]) is None


def test_a_python_call_has_keywords():
    code = Code(PYTHON, "r = Task(prompt='go', subagent_type=kind)\n")
    (call,) = agent_calls(code)
    assert literal(code, call.named["prompt"]) == "go"
    assert call.assigned == "r"


def test_a_call_in_a_string_or_a_comment_is_none():
    assert calls(Code(JAVASCRIPT, "// Task({})\nconst s = 'Task({})'\n")) == ()


def test_what_does_not_parse_says_nothing():
    code = Code(JAVASCRIPT, "Read('a.json')\nconst = = Task({ prompt: \n")
    assert [call.name for call in calls(code)] in (["Read"], [])


def test_tools_of_claude_code_and_of_mcp_are_known():
    code = Code(JAVASCRIPT, "Write('a', b)\nmcp__github__create_issue({})\nwrite('a')\nfs.Read('x')\n")
    assert [call.name for call in tool_calls(code)] == ["Write", "mcp__github__create_issue"]


def test_a_shell_command_has_its_words_without_quotes():
    code = Code(BASH, "python3 \"scripts/run it.py\" --foo='a b' $X | tee out.log\n")
    assert [(c.name, c.words) for c in commands(code)] == [
        ("python3", ("scripts/run it.py", "--foo='a b'", "$X")),
        ("tee", ("out.log",)),
    ]


def test_lines_are_those_of_the_file():
    code = Code(PYTHON, "a = 1\n\n\nf(a)\n", 100)
    (node,) = code.nodes("call")
    assert (code.line(node), code.line_end(node)) == (103, 103)


def test_a_type_that_a_grammar_lacks_is_nowhere():
    assert list(Code(BASH, "ls\n").nodes("do_statement")) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("f()\n" + "x" * 10_000, 1),
        ("f()\n" + "x" * 10_001, 0),
        ("f()\n" + "[\n" * 200 + "]\n" * 200, 1),
        ("f()\n" + "[\n" * 201 + "]\n" * 201, 0),
        ("f()\n" + "// " + ")" * 9000, 1),
    ],
)
def test_what_no_one_wrote_by_hand_is_not_parsed(text, found):
    assert len(calls(Code(JAVASCRIPT, text))) == found


def test_a_chain_of_calls_has_a_name_for_its_first_links_only():
    names = [call.name for call in calls(Code(JAVASCRIPT, "a" + ".then(b)" * 500))]
    assert len(names) == 500
    assert max(map(len, names)) <= 400
    assert "a.then" in names
