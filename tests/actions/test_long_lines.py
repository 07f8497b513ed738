"""Test that regular expressions take only about twice the time for twice as long a line of hostile text.

Each text would make a pattern with adjacent repetitions, or one with an unanchored start, backtrack at every character.
"""

import pytest

from actions.fixes.strategies import drop_dead_entry, drop_trailing_comma
from actions.history import commit_rules, text_facts, text_names
from actions.patterns.session import shortcuts
from actions.project import digest, forms, frontmatter, imports, listing, named_paths, syntax_faults
from actions.review import complaints, quotes
from actions.session import redaction, stubs
from actions.skill import harmful, script_usage
from actions.trigger import candidates
from tests.fakes import make_case
from tests.growth import grows_at_most, measure_seconds


def read_harmful(text):
    return list(harmful.find_harmful_text("", text))


LINES = {
    "headings": (digest._find_headings, "# ", "x"),
    "heading of marks": (lambda text: listing._HEADING.sub("", text, count=1), "#", ""),
    "code spans": (lambda text: imports._CODE_SPAN.sub(" ", text), "`", ""),
    "open code spans": (lambda text: imports._CODE_SPAN.sub(" ", text), "` ``  ", ""),
    "blank lines of YAML": (syntax_faults._ACCEPTED_YAML.search, "\n", "\0"),
    "blank lines of JSON": (syntax_faults._HAS_COMMENT.search, "\n", "\0"),
    "here documents": (syntax_faults._drop_quoted, "<<a\n", ""),
    "blank frontmatter": (lambda text: frontmatter._find_block(f"---\n{text}"), "\n", ""),
    "blank values": (frontmatter._ACCEPTED.search, "\n", "\0"),
    "ends of clauses": (complaints._CLAUSE_END.split, ";", "\0"),
    "numbers of lines": (lambda text: quotes._LINE_NUMBER.sub("", text), "\n", "\0"),
    "rulers": (drop_dead_entry._RULER.match, "| ", "\0"),
    "rulers of spaces": (lambda text: drop_dead_entry._RULER.match(f"|{text}"), " ", "\0"),
    "open strings": (lambda text: drop_trailing_comma._STRING_OR_COMMA.sub("", text), '"z\\', "\0"),
    "here documents of git": (commit_rules._read_message, "git commit <<a'\n", "\0"),
    "words of git": (commit_rules._read_message, "git ", ""),
    "bold skills": (text_names._SKILL.findall, "**:", ""),
    "files in a shell": (shortcuts._WRITTEN_FILE.findall, ">.", ""),
    "names of files": (forms._CALLED_TEMPLATE.findall, "-", ""),
    "tokens": (redaction.redact, "a-", "\0"),
    "stubs": (lambda text: stubs._is_stub(text, text), "-", "TODO"),
    "options of a shell script": (script_usage._PASSES_ARGUMENTS_ON.search, "\n", "\0"),
    "values of frontmatter": (lambda text: candidates._VALUE_START.match(f"z#{text}"), "\t", "\0"),
    "hosts": (read_harmful, "a.", "\0"),
    "hosts without a name": (read_harmful, "//a@a.b:", "\0"),
    "options of git": (read_harmful, "git /git=git ", "\0"),
    "empty commands": (read_harmful, "curl \t", "\0"),
    "pipes": (read_harmful, "| \n", "\0"),
    "empty functions": (lambda text: stubs._is_stub(f"def a()->{text}", text), "\n ", ": pass"),
}


@pytest.mark.parametrize("name", LINES)
def test_line_takes_twice_the_time_for_twice_the_text(name):
    read, piece, end = LINES[name]

    def measure(size):
        text = piece * (size // len(piece)) + end
        return measure_seconds(lambda: read(text))

    assert grows_at_most(measure, 20_000, 40_000, factor=2.6)


@pytest.mark.parametrize("piece", ["1. ", "1. a\n2. b\n\n"])
def test_numbered_items_take_twice_the_time_for_twice_the_text(piece):
    def measure(times):
        doc = make_case(piece * times).skill.main.doc
        _ = doc.numbered, doc.spans
        return measure_seconds(lambda: [*text_facts._find_checks(doc)])

    assert grows_at_most(measure, 3_000, 6_000, factor=2.6)


def test_named_paths_of_one_line_take_twice_the_time():
    def measure(times):
        file = make_case(f"```bash\n{'not ${CLAUDE_SKILL_DIR}/a ' * times}\n```\n").skill.main
        line = file.doc.fences[0].start + 1
        return measure_seconds(lambda: [named_paths._is_created(file, line) for _ in range(times)])

    assert grows_at_most(measure, 3_000, 6_000, factor=2.6)


def test_headings_are_found_without_closing_marks():
    assert digest._find_headings("# One ##\n#  Two\n##### Five\n# # #\n#\tThree # 3\t\n") == ["One", "Two", "Three # 3"]


def test_code_spans_end_with_as_many_marks():
    assert imports._CODE_SPAN.sub(" ", "a `@b` ``@c ` d`` @e `` @f") == "a     @e `` @f"


def test_here_documents_are_not_code():
    text = "cat <<'A' >x\nif\nA\nfi\ncat <<B\ndone\n"
    assert list(syntax_faults._drop_heredocs(text)) == ["cat <<'A' >x", "fi", "cat <<B", "done", ""]


def test_message_of_a_here_document_is_read():
    command = "git commit -F - <<'EOF'\nAdd it\n\nWhy\n  EOF\n"
    assert commit_rules._read_message(command) == "Add it\n\nWhy"
    assert commit_rules._read_message("git commit -m 'One' <<X\nno end") == "One"
