"""Test the detection of files that a call of sed writes."""

import pytest

from actions.session.sed_script import UNKNOWN_FILE, edits_in_place, list_sed_writes
from actions.session.shell import split_commands


def list_writes(command):
    ((_, *words),) = split_commands(command)
    return list(list_sed_writes(tuple(words)))


@pytest.mark.parametrize(
    "command",
    [
        "sed -n '1,20p' a.py", "sed 's/e/w/g' a", "sed -n '/x w y/,$p' a", "sed 's|a/w|e w|2; 3d' a", "sed -i s/a/b/ a",
        "sed -e 's/a/w/' -e '/e/d' a", "sed 'y/abc/wWe/' a", "sed '/^$/d;q' a", "sed -n 's/\\/w x/y/p' a", "sed '$!N;P;D' a",
        "sed 'a\\ w x' a", "sed ':a;N;$!ba;s/e/w/g' a", "sed -i '' 's/a/b/' a",
    ],
)  # fmt: skip
def test_script_that_only_prints_writes_nothing(command):
    assert list_writes(command) == []


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("sed -n 'w out.py' a", ["out.py"]), ("sed '/x/W out.py' a", ["out.py"]), ("sed 's/a/b/gw out.py' a", ["out.py"]),
        ("sed -ne 'w out.py' a", ["out.py"]), ("sed --expression='w out.py' a", ["out.py"]),
        ("sed 'b;w out.py' a", ["out.py"]), ("sed -i '' 'w out.py' a", ["out.py"]), ("sed 's,a,b,;w out.py' a", ["out.py"]),
        ("sed '1e' a", [UNKNOWN_FILE]), ("sed 's/a/b/e' a", [UNKNOWN_FILE]), ("sed 's/a/b/ge' a", [UNKNOWN_FILE]), ("sed -f x.sed a", [UNKNOWN_FILE]),
        ("sed -i.bak s/a/b/ a", [UNKNOWN_FILE]), ("sed --in-place=.bak s/a/b/ a", [UNKNOWN_FILE]), ("sed 's/a/b' a", [UNKNOWN_FILE]),
        ("sed \"$script\" a", [UNKNOWN_FILE]),
    ],
)  # fmt: skip
def test_files_that_a_script_writes_are_found(command, files):
    assert list_writes(command) == files


@pytest.mark.parametrize(("command", "edits"), [("sed -i s/a/b/ a", True), ("sed -Ei s/a/b/ a", True),
                                                ("sed --in-place s/a/b/ a", True), ("sed -n 1p -- a-i", False)])  # fmt: skip
def test_edits_in_place_are_found(command, edits):
    ((_, *words),) = split_commands(command)
    assert edits_in_place(tuple(words)) is edits
