"""Test reading the options of a script: all options that its parser defines, or none if that is unclear."""

import pytest

from actions.code.languages import BASH, JAVASCRIPT, PYTHON
from actions.code.options import find_interface
from actions.code.tree import Code

KNOWN = [
    (PYTHON, "p = argparse.ArgumentParser()\np.add_argument('-o', '--out', default='x.md')\np.add_argument('file')\n", {"-o", "--out"}, ("--out", "x.md")),
    (PYTHON, "@click.option('--limit', default=5)\ndef main(limit): ...\n", {"--limit"}, ("--limit", "5")),
    (PYTHON, "p = ArgumentParser()\np.add_argument('--fast', action=argparse.BooleanOptionalAction)\n", {"--fast", "--no-fast"}, None),
    (JAVASCRIPT, "program.option('-n, --count <n>', 'how many', '3')\n", {"-n", "--count"}, ("--count", "3")),
    (JAVASCRIPT, "parseArgs({options: {depth: {type: 'string', short: 'd', default: '2'}}})\n", {"--depth", "--no-depth", "-d"}, ("-d", "2")),
    (BASH, 'while [ $# -gt 0 ]; do case "$1" in --dry|-d) D=1;; --to=*) T=1;; *) ;; esac; shift; done\n', {"--dry", "-d", "--to"}, None),
    (BASH, 'while getopts "ab:" o; do :; done\n', {"-a", "-b"}, None),
]  # fmt: skip
UNKNOWN = [
    (PYTHON, "print(1)\n"),
    (PYTHON, "p = ArgumentParser()\np.add_argument('--out')\np.parse_known_args()\n"),
    (PYTHON, "p = ArgumentParser(parents=[base])\np.add_argument('--out')\n"),
    (PYTHON, "p = ArgumentParser()\nshared_options(p)\np.add_argument('--out')\n"),
    (PYTHON, "def add(p):\n    p.add_argument('--out')\n"),
    (PYTHON, "@shared\n@click.option('--limit')\ndef main(limit): ...\n"),
    (PYTHON, "p = ArgumentParser()\nfor name in NAMES:\n    p.add_argument(f'--{name}')\np.add_argument('--x')\n"),
    (PYTHON, "p = ArgumentParser()\nfor name in NAMES:\n    p.add_argument(name)\np.add_argument('--x')\n"),
    (JAVASCRIPT, "program.option('--a').allowUnknownOption()\n"),
    (PYTHON, "p.add_argument('--out'\n"),
]


@pytest.mark.parametrize(("language", "text", "names", "default"), KNOWN)
def test_interface_reads_options_and_defaults(language, text, names, default):
    interface = find_interface(Code(language, text))
    assert interface is not None
    assert interface.names == names
    if default:
        assert interface.by_name[default[0]][0].default == default[1]


@pytest.mark.parametrize(("language", "text"), UNKNOWN)
def test_interface_of_open_parsers_is_unknown(language, text):
    assert find_interface(Code(language, text)) is None


PARSER_START = "p = argparse.ArgumentParser()\np.add_argument('--db')\ns = p.add_subparsers()\n"
SUBCOMMANDS = [
    ("a = s.add_parser('add', aliases=['a'])\na.add_argument('-t', '--title')\ns.add_parser('list')\n",
     {"add": {"-t", "--title"}, "a": {"-t", "--title"}, "list": set()}),
    ("a = s.add_parser('add')\ng = a.add_argument_group()\ng.add_argument('--title')\n", {"add": {"--title"}}),
    ("a = s.add_parser('add')\na.add_argument('name')\na = s.add_parser('drop')\na.add_argument('--all')\n",
     {"add": {"name"}, "drop": {"--all"}}),
    ("a = s.add_parser('add', parents=[base])\na.add_argument('--x')\n", {}),
    ("for n in NAMES:\n    a = s.add_parser(n)\n    a.add_argument('--x')\n", {}),
    ("a = s.add_parser('add')\ndef more(q):\n    q.add_argument('--x')\nmore(a)\n", {}),
    ("a = s.add_parser('add')\nb = s.add_parser('drop')\nfor q in (a, b):\n    q.add_argument('--x')\n", {}),
    ("p.add_argument('file')\na = s.add_parser('add')\n", {}),
    ("a = s.add_parser('add')\nt = a.add_subparsers()\nt.add_parser('one')\n", {}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SUBCOMMANDS)
def test_subcommands_are_read_only_from_plain_statements(text, expected):
    interface = find_interface(Code(PYTHON, PARSER_START + text))
    assert interface is not None
    assert interface.subcommands == expected
