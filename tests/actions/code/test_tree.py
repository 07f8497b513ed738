"""Test the syntax tree: code with errors yields nothing."""

import pytest

from actions.code.calls import find_agent_calls, find_calls, find_commands, find_tool_calls
from actions.code.languages import BASH, JAVASCRIPT, PYTHON, TYPESCRIPT, find_language
from actions.code.literals import read_string
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
def test_find_language_by_fence_word_or_extension(name, language):
    assert find_language(name) == language


def test_calls_have_arguments_and_target_variable():
    code = Code(JAVASCRIPT, "x()\nconst r = await Task({subagent_type: 'Explore', 'prompt': `look at ${part}`})\n", 10)
    call = find_calls(code)[1]
    assert (call.name, call.line, call.assigned) == ("Task", 11, "r")
    assert read_string(code, call.named["subagent_type"]) == "Explore"
    assert read_string(code, call.named["prompt"]) is None


def test_calls_have_python_keywords():
    code = Code(PYTHON, "r = Task(prompt='go', subagent_type=kind)\n")
    (call,) = find_agent_calls(code)
    assert read_string(code, call.named["prompt"]) == "go"
    assert call.assigned == "r"


def test_calls_ignore_strings_and_comments():
    assert find_calls(Code(JAVASCRIPT, "// Task({})\nconst s = 'Task({})'\n")) == ()


def test_calls_ignore_code_with_errors():
    code = Code(JAVASCRIPT, "Read('a.json')\nconst = = Task({ prompt: \n")
    assert [call.name for call in find_calls(code)] in (["Read"], [])


def test_tool_calls_find_claude_and_mcp_tools():
    code = Code(JAVASCRIPT, "Write('a', b)\nmcp__github__create_issue({})\nwrite('a')\nfs.Read('x')\n")
    assert [call.name for call in find_tool_calls(code)] == ["Write", "mcp__github__create_issue"]


def test_commands_have_words_without_quotes():
    code = Code(BASH, "python3 \"scripts/run it.py\" --foo='a b' $X | tee out.log\n")
    assert [(c.name, c.words) for c in find_commands(code)] == [
        ("python3", ("scripts/run it.py", "--foo='a b'", "$X")),
        ("tee", ("out.log",)),
    ]


def test_code_lines_are_lines_of_the_file():
    code = Code(PYTHON, "a = 1\n\n\nf(a)\n", 100)
    (node,) = code.nodes("call")
    assert (code.line(node), code.line_end(node)) == (103, 103)


def test_nodes_of_unknown_kind_are_empty():
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
def test_code_parses_only_hand_written_text(text, found):
    assert len(find_calls(Code(JAVASCRIPT, text))) == found


def test_calls_in_long_chains_have_no_name():
    names = [call.name for call in find_calls(Code(JAVASCRIPT, "a" + ".then(b)" * 500))]
    assert len(names) == 500
    assert max(map(len, names)) <= 400
    assert "a.then" in names
