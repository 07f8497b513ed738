"""Test the detection of files that inline Python code writes."""

import pytest

from actions.session.example import bash
from actions.session.python_writes import list_python_writes
from actions.session.sed_script import UNKNOWN_FILE
from actions.session.session import Session
from tests.examples import make_transcript

CODE_WITHOUT_WRITES = [
    "print(open('a').read())", "open(p)", "open(p, 'rb')", "open(p, mode='r')", "t = 'a'.replace('a', 'b')",
    "import json, sys; json.load(sys.stdin)", "from pathlib import Path\nPath(p).read_text()", "[1].copy()",
    "import os; os.path.exists('a')", "p.open()", "p.open('rb')", "import sys; sys.stdout.write('x')",
]  # fmt: skip


@pytest.mark.parametrize("code", CODE_WITHOUT_WRITES)
def test_code_that_only_reads_writes_nothing(code):
    assert list_python_writes(code) == ()


FILES_BY_CODE = {
    "open('x/a.py', 'w')": ["x/a.py"],
    "with open('a', 'ab') as f: f.write(b'')": ["a"],
    "open('a', mode='x')": ["a"],
    "open('a', m)": ["a"],
    "import io; io.open('a', 'r+')": ["a"],
    "import pathlib\np = pathlib.Path('a')\nt = p.read_text()\np.write_text(t)": ["a"],
    "from pathlib import Path\nroot = Path('x')\n(root / 'a.py').write_bytes(b'')": ["x/a.py"],
    "import os\nopen(os.path.join('x', 'a'), 'w')": ["x/a"],
    "for f in ['a', 'b']:\n    open(f, 'w')": ["a", "b"],
    "import json\njson.dump({}, open('a.json', 'w'))": ["a.json"],
}


@pytest.mark.parametrize(("code", "files"), FILES_BY_CODE.items())
def test_literal_paths_that_code_writes_are_found(code, files):
    assert list(list_python_writes(code)) == files


UNCLEAR_CODE = [
    "open(p, 'w')", "open('a', *m)", "open('a', **m)", "p = 'a'\np = q\nopen(p, 'w')",
    "p = 'a'\np += 'b'\nopen(p, 'w')", "def f(p): p.write_text('')\np = 'a'", "open(f'{x}', 'w')", "exec('x')",
    "w = open\nw('a', 'w')", "map(open, names, modes)", "import os as o\no.system('x')", "import os\nos.chdir('..')",
    "import os\nos.remove\nos.rename('a', 'b')", "from os import system", "import os\nf(os)", "import subprocess",
    "import shutil", "from pathlib import *", "from pathlib import Path as P", "Path('a').rename('b')", "p.touch()",
    "import sys\nsys.modules['os'].system('x')", "getattr(p, 'write_text')('')", "import io\nio.FileIO('a', 'w')",
    "class Path: pass\nPath('a').write_text('')\nPath = 1", "list(map(Path.write_text, paths))", "p.__class__", "(((",
    "import urllib.request\nurllib.request.urlretrieve('u', 'a')", "import numpy", "x = 1\0", "-" * 7_000 + "1",
    "(" * 3_000 + ")" * 3_000, "a" + ".b" * 3_000, "x = 1\n" * 5_000,
]  # fmt: skip


@pytest.mark.parametrize("code", UNCLEAR_CODE)
def test_code_that_may_write_elsewhere_is_unknown(code):
    assert UNKNOWN_FILE in list_python_writes(code)


WRITE_CODE = "open('x/a.py', 'w').write('1')"
FILES_BY_COMMAND = {
    f'python3 -c "{WRITE_CODE}"': ["x/a.py"],
    f"python -c '{WRITE_CODE.replace(chr(39), chr(34))}'": ["x/a.py"],
    f"python3 - <<'EOF'\n{WRITE_CODE}\nEOF\nls": ["x/a.py"],
    f"# Write (it > all)\npython3 <<'EOF'\n{WRITE_CODE}\nEOF": ["x/a.py"],
    f"python3 - <<EOF\n{WRITE_CODE}\nEOF": [UNKNOWN_FILE],
    f'python3 -c "$X; {WRITE_CODE}"': [UNKNOWN_FILE],
    f"cat <<'E' | python3\n{WRITE_CODE}\nE\npython3 <<F\nopen('$b', 'w')\nF": [UNKNOWN_FILE, UNKNOWN_FILE],
    "node -e \"require('fs').writeFileSync('a', '')\"": [UNKNOWN_FILE],
    "python3 -c \"open('a/$(date)', 'w')\"": [UNKNOWN_FILE],
}


@pytest.mark.parametrize(("command", "files"), FILES_BY_COMMAND.items())
def test_python_in_a_command_is_read_unless_the_shell_changes_it(command, files):
    assert list(Session(make_transcript(bash(command))).shell_writes) == files
