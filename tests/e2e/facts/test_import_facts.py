"""Test that Claude Code imports the files that a memory file names with `@`, but none that are reported as dead."""

import re

from actions.project.find_units import find_units
from actions.project.imports import find_dead_imports
from tests.e2e.facts.claude_cli import run_session
from tests.e2e.facts.test_unit_facts import read_project
from tests.scripted_api import join_user_text

MEMORY = """# Shore

@f/own.md
See @f/sentence.md for it, and **@f/bold.md** or @f/gone.md here.

The end is @f/point.md.

First @f/comma.md, then the rest.

- item @./f/dot.md
- `@f/span.md`

> quote @f/quote.md

@f/part.md#x

```
@f/fence.md
```

<div>
@f/html.md
</div>
"""
RULE = "Read @../../f/rule.md and @f/root.md.\n"
NAMES = "own sentence bold point comma dot span quote part fence html rule root".split()


def test_imports_reported_as_dead_are_not_read(tmp_path):
    files = {"CLAUDE.md": MEMORY, ".claude/rules/r.md": RULE, **{f"f/{name}.md": f"BODY {name}.\n" for name in NAMES}}
    folder, _, requests = run_session(files, tmp_path)
    imported = set(re.findall(r"BODY (\w+)\.", join_user_text(requests[0])))
    project = read_project(folder)
    dead = {
        dead_import.path.rpartition("/")[2].removesuffix(".md")
        for unit in find_units(project)
        if (file := project.read_text_file(unit.path))
        for dead_import in find_dead_imports(project, unit, file)
    }
    assert imported == {"own", "sentence", "bold", "dot", "quote", "part", "rule"}
    assert dead == {"gone", "point", "comma", "root"}


def test_memory_file_of_the_project_is_loaded_from_its_root_and_from_claude(tmp_path):
    files = {"CLAUDE.md": "BODY root.\n", ".claude/CLAUDE.md": "BODY own.\n", "docs/CLAUDE.md": "BODY below.\n"}
    _, _, requests = run_session(files, tmp_path)
    assert set(re.findall(r"BODY (\w+)\.", join_user_text(requests[0]))) == {"root", "own"}
