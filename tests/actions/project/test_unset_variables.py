"""Test that hooks are reported only if their data come from variables that are not set, and from nowhere else."""

import json

import pytest

from actions.project.project import Project, ProjectFile
from actions.project.unset_variables import find_unset_variables

SETTINGS = ".claude/settings.json"
EMPTY_COMMANDS = (
    "echo $CLAUDE_TOOL_INPUT | jq -r .command | grep -q x && exit 2",
    'npx prettier --write "$CLAUDE_FILE_PATHS" 2>/dev/null || true',
    'FILE="${CLAUDE_FILE_PATH:-}"; ruff check "$FILE"',
    '[[ "$CLAUDE_FILE_PATH" == *.py ]] && ruff check "$CLAUDE_FILE_PATH"',
    'T="${CLAUDE_TOOL_NAME:-${TOOL_NAME:-unknown}}"; case "$T" in Bash) exit 2;; esac',
    "bash -c 'echo \"$TOOL_INPUT\" | grep -q secret && exit 2'",
    'jq -r .branch state.json; grep -q x "$CLAUDE_FILE_PATH"',
    'if [ -n "$CLAUDE_FILE_PATH" ]; then ruff check "$CLAUDE_FILE_PATH"; fi',
    'while read -r f; do ruff "$f"; done <<< "$CLAUDE_FILE_PATHS"',
    'if [ -n "$CLAUDE_FILE_PATHS" ]; then for file in $CLAUDE_FILE_PATHS; do ruff "$file"; done; fi',
    'cat config.txt; ruff "${CLAUDE_FILE_PATH##*/}"',
    "pnpm prettier --write $FILE_PATH",
    'python -m py_compile "$CLAUDE_TOOL_INPUT_filePath"',
    'git add "$CLAUDE_TOOL_FILE_PATH"',
    'ruff "${CLAUDE_MODIFIED_FILES:-$CLAUDE_FILES}"',
    'grep -q "$CLAUDE_TOOL_ARG_COMMAND" rules',
    'sh -c \'file="$(echo "$STDIN" | jq -r .tool_input.file_path)"; ruff "$file"\'',
    'if [[ "$CLAUDE_TOOL_INPUT_FILE_PATH" == *.ts ]]; then node scripts/check.js; fi',
    'if [[ "$CLAUDE_FILE_PATH" == *.ts || "$CLAUDE_FILE_PATH" == *.tsx ]]; then node check.js; else true; fi',
    "[[ $FILE_PATH =~ \\.(ts|tsx)$ ]] && [ -d src ] && node check.js",
    '[ "$CLAUDE_TOOL_NAME" = Bash ] && true && python3 check.py || true',
    'case "$CLAUDE_FILE_PATH" in *.ts|*.tsx) node check.js;; esac',
    "bash -c 'if [[ \"$CLAUDE_FILE_PATH\" == *.py ]]; then python3 check.py; fi'",
    "node -e \"const f=process.env.TOOL_INPUT_file_path||process.env.TOOL_INPUT_FILE_PATH||''; if(f.includes('.env'))process.exit(2)\"",
    'node -e \'const {tool}=JSON.parse(process.env["CLAUDE_TOOL_INPUT"] || "{}"); if(tool)process.exit(2)\'',
    "python3 -c \"import os; f=os.environ.get('TOOL_INPUT_path', ''); exit(2 if '.env' in f else 0)\"",
)
OTHER_COMMANDS = (
    "jq -r .tool_input.file_path | xargs npx prettier --write",
    'F=$(cat | jq -r .x); echo "$CLAUDE_TOOL_NAME $F"',
    'INPUT=$(timeout 2 cat); echo "$CLAUDE_TOOL_NAME"',
    'python3 -c "import sys, json; json.load(sys.stdin)"; ruff "$CLAUDE_FILE_PATH"',
    "ruff ${CLAUDE_FILE_PATH:-.}",
    'ruff "${CLAUDE_FILE_PATH:-$(git diff --name-only)}"',
    'FILE="${MY_FILE:-${CLAUDE_FILE_PATH:-}}"; ruff "$FILE"',
    "CLAUDE_FILE_PATH=$(pwd)/a.py; ruff $CLAUDE_FILE_PATH",
    "read -r TOOL_INPUT; grep -q x <<< $TOOL_INPUT",
    'for CLAUDE_FILE_PATH in *.py; do ruff "$CLAUDE_FILE_PATH"; done',
    '[ -n "$CLAUDE_TOOL_NAME" ] || npm test',
    'if [ -n "$CLAUDE_FILE_PATH" ]; then ruff "$CLAUDE_FILE_PATH"; else ruff .; fi',
    '"$CLAUDE_COMMAND" -p "summarize"',
    "echo '$CLAUDE_FILE_PATH'",
    ". ./hook-env.sh; ruff $CLAUDE_FILE_PATH",
    "~/.claude/hooks/check.sh $CLAUDE_FILE_PATH",
    "echo ${CLAUDE_TOOL_NAME:+tool}",
    'ruff "$SOURCE_PATH" "$CLAUDE_PROJECT_DIR"',
    "if then $CLAUDE_FILE_PATH",
    'python -m checks "$CLAUDE_FILE_PATH"',
    'python -m ruff check - "$CLAUDE_FILE_PATH"',
    'paplay "$CLAUDE_NOTIFICATION_SOUND"',
    'grep -q x "$CLAUDE_ENV_FILE" "$CLAUDE_HOOKS_DIR"',
    'if [[ "$CLAUDE_FILE_PATH" != *.md ]]; then node check.js; fi',
    'if [[ "$CLAUDE_FILE_PATH" == *.ts ]]; then true; else node check.js; fi',
    'if [[ "$CLAUDE_FILE_PATH" == * ]]; then node check.js; fi',
    "if [[ $CLAUDE_FILE_PATH =~ (\\.ts)?$ ]]; then node check.js; fi",
    'if [[ "$CLAUDE_FILE_PATH" == *.ts || -f src/a.ts ]]; then node check.js; fi',
    '[[ "$CLAUDE_FILE_PATH" == *.ts ]] || node check.js',
    'case "$CLAUDE_FILE_PATH" in *.md) true;; *) node check.js;; esac',
    'case "$CLAUDE_FILE_PATH" in *.ts|"") node check.js;; esac',
    'if [[ "$CLAUDE_FILE_PATH" == *.ts ]]; then ruff a.py; fi; node check.js',
    "node -e \"const f=process.env.TOOL_INPUT||require('fs').readFileSync(0)\"",
    "node -e \"const f=process.env.TOOL_INPUT||require('./near')()\"",
    "node -e \"const near=require('./near'); const f=process.env.TOOL_INPUT; near(f)\"",
    "node -e \"const f=process.env.TOOL_INPUT||'a.js'; check(f)\"",
    'node -e "const f=process.env.MY_FILE||process.env.TOOL_INPUT; check(f)"',
    'node -e "if(process.env.TOOL_INPUT===undefined){check()}"',
    "node -e \"process.env.TOOL_INPUT='a'; check()\"",
    'node -e "const f=process.env.TOOL_INPUT; check(f)" a.js',
    "python3 -c \"import os, sys; f=os.environ.get('TOOL_INPUT', ''); sys.stdin.read()\"",
    'TOOL_INPUT=$(git diff) node -e "const f=process.env.TOOL_INPUT; check(f)"',
    'CLAUDE_FILE_PATH=$(jq -r .x); if [[ "$CLAUDE_FILE_PATH" == *.ts ]]; then node check.js; fi',
)
SILENT_SCRIPTS = {
    ".sh": (
        'C="${CLAUDE_TOOL_INPUT:-}"\ngrep -q "$C" rules\n',
        'C="${1:-${CLAUDE_COMMAND:-}}"\n[ -z "$C" ] && exit 0\nblock() { echo "$1"; exit 2; }\n',
        'C="${CLAUDE_TOOL_INPUT_command:-}"\nif [ -n "$C" ]; then cat <<EOF\n$C\nEOF\nfi\n',
        'echo "$CLAUDE_FILE_PATHS" | while read -r f; do ruff "$f"; done\n',
    ),
    ".py": (
        'import os\nname = os.environ.get("CLAUDE_TOOL_NAME", "")\n',
        'import os\nname = os.environ["CLAUDE_TOOL_NAME"]\n',
        "import os\nname = os.getenv('CLAUDE_TOOL_INPUT', '{}')\n",
        "import os\nname = os.getenv('CLAUDE_TOOL_ARG_COMMAND')\n",
        "import os\nname = os.environ['TOOL_INPUT_command']  # CLAUDE_\n",
    ),
    ".mjs": (
        "import { execSync } from 'child_process';\nconst name = process.env.CLAUDE_TOOL_INPUT || '';\n",
        "const name = process.env['CLAUDE_TOOL_NAME'] ?? process.env.TOOL_INPUT;\nif (!name) process.exit(0);\n",
    ),
}
OTHER_SCRIPTS = {
    ".sh": (
        'C="${CLAUDE_TOOL_INPUT:-$(cat)}"\ngrep -q "$C" rules\n',
        'INPUT=$(cat)\ngrep -q "$CLAUDE_TOOL_NAME" rules\n',
        'source lib.sh\ngrep -q "$CLAUDE_TOOL_NAME" rules\n',
        'python3 parse.py\ngrep -q "$CLAUDE_TOOL_NAME" rules\n',
        'grep -q "$TOOL_NAME" rules\n',
        'export CLAUDE_TOOL_NAME=Bash\ngrep -q "$CLAUDE_TOOL_NAME" rules\n',
        'if grep -q "$CLAUDE_TOOL_NAME" rules; then\n',
    ),
    ".py": (
        'import os, sys\nname = os.environ.get("CLAUDE_TOOL_NAME", "") or sys.stdin.read()\n',
        'import os\nname = os.environ.get("CLAUDE_TOOL_NAME", "Bash")\n',
        'import os\nos.environ["CLAUDE_TOOL_NAME"] = "Bash"\n',
        'import os\nimport near\nname = os.environ["CLAUDE_TOOL_NAME"]\n',
        'import os\nname = os.environ["TOOL_NAME"]\n',
        'import os\nname = os.environ.get("CLAUDE_TOOL_NAME") or near()\n',
    ),
    ".mjs": (
        "const name = process.env.CLAUDE_TOOL_NAME || 'Bash';\n",
        "import { near } from './near.mjs';\nconst name = process.env.CLAUDE_TOOL_NAME || '';\n",
        "const name = process.env.CLAUDE_TOOL_NAME || '';\nprocess.stdin.on('data', check);\n",
        "const name = process.env.TOOL_NAME || '';\n",
        "if (process.env.CLAUDE_TOOL_NAME) check();\n",
    ),
}


STARTS = {".sh": "bash", ".py": "python3", ".mjs": "node"}


def list_faults(command, files=(), settings=(), event="PreToolUse", **fields):
    hooks = {event: [{"hooks": [{"type": "command", "command": command, **fields}]}]}
    texts = {SETTINGS: json.dumps({"hooks": hooks, **dict(settings)}), **dict(files)}
    entries = {path: ProjectFile(path, len(text)) for path, text in texts.items()}
    return find_unset_variables(Project("p", entries, lambda path: texts[path].encode()))


@pytest.mark.parametrize("command", EMPTY_COMMANDS)
def test_command_without_other_data_is_reported(command):
    assert list_faults(command)


@pytest.mark.parametrize("command", OTHER_COMMANDS)
def test_command_with_other_data_is_not_reported(command):
    assert not list_faults(command)


@pytest.mark.parametrize(
    ("extension", "text"), [(end, text) for end, texts in SILENT_SCRIPTS.items() for text in texts]
)
def test_script_that_never_reads_its_input_is_reported(extension, text):
    start = STARTS[extension]
    path = f"hooks/check{extension}"
    (fault,) = list_faults(f'{start} "$CLAUDE_PROJECT_DIR"/{path}', {path: text})
    number = next(n for n, line in enumerate(text.split("\n"), 1) if "CLAUDE_" in line)
    assert fault.script == f"{path}:{number}"


@pytest.mark.parametrize(("extension", "text"), [(end, text) for end, texts in OTHER_SCRIPTS.items() for text in texts])
def test_script_with_other_data_is_not_reported(extension, text):
    files = {f"hooks/check{extension}": text, "hooks/near.py": "x = 1\n"}
    assert not list_faults(f"{STARTS[extension]} hooks/check{extension}", files)


def test_script_in_a_variable_counts_as_started():
    command = 'S="${CLAUDE_PROJECT_DIR:-.}/hooks/check.sh"; if [ -f "$S" ]; then bash "$S"; else exit 0; fi'
    assert list_faults(command, {"hooks/check.sh": SILENT_SCRIPTS[".sh"][1]})
    assert not list_faults(command.replace('bash "$S"', 'bash "$S" "$X"'), {"hooks/check.sh": SILENT_SCRIPTS[".sh"][1]})


def test_script_that_another_program_starts_is_not_reported():
    files = {"hooks/check.sh": SILENT_SCRIPTS[".sh"][0]}
    assert not list_faults("hooks/run-hook hooks/check.sh", files)
    assert not list_faults('CLAUDE_TOOL_INPUT="$(cat)" bash hooks/check.sh', files)
    assert not list_faults(". ./env.sh && CLAUDE_TOOL_INPUT=$X bash hooks/check.sh", files)
    assert list_faults("timeout 5 bash hooks/check.sh", files)


@pytest.mark.parametrize(("text", "count"), [('ruff "$1"\n', 1), ('ruff "${1:-$(jq -r .tool_input.file_path)}"\n', 0)])
def test_empty_argument_counts_unless_the_script_reads_its_input(text, count):
    assert len(list_faults('bash hooks/check.sh "$CLAUDE_FILE_PATH"', {"hooks/check.sh": text})) == count


def test_variable_in_the_env_of_settings_is_not_reported():
    assert not list_faults(EMPTY_COMMANDS[0], settings={"env": {"CLAUDE_TOOL_INPUT": "{}"}})
    assert not list_faults(EMPTY_COMMANDS[0], {".claude/settings.local.json": '{"env": {"CLAUDE_TOOL_INPUT": "x"}}'})


@pytest.mark.parametrize(
    ("path", "text"), [("README.md", "`export %s=a.py`\n"), ("env.py", 'os.environ["%s"] = path\n')]
)
def test_similar_variable_that_the_project_sets_is_not_reported(path, text):
    assert not list_faults('ruff "$CLAUDE_TOOL_FILE"', {path: text % "CLAUDE_TOOL_FILE"})
    assert list_faults('ruff "$CLAUDE_TOOL_FILE"', {path: text % "CLAUDE_TOOL_FILES"})
    assert list_faults('ruff "$CLAUDE_FILE_PATH"', {path: text % "CLAUDE_FILE_PATH"})


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("CLAUDE_TOOL_FILE_PATH", "tool_input.file_path"),
        ("CLAUDE_TOOL_ARG_COMMAND", "tool_input.command"),
        ("CLAUDE_TOOL_USE_ID", "tool_input"),
        ("CLAUDE_NOTIFICATION", ""),
    ],
)
def test_field_with_the_data_is_named(name, field):
    assert [fault.field for fault in list_faults(f"ruff ${name}")] == [field]


def test_hook_of_another_shell_or_without_shell_is_not_reported():
    assert not list_faults(EMPTY_COMMANDS[0], shell="powershell")
    assert not list_faults("ruff", args=["$CLAUDE_FILE_PATH"])


def test_printed_value_is_a_message():
    commands = ('echo "$CLAUDE_FILE_PATH" >> log', 'echo "$CLAUDE_FILE_PATH" | grep x', 'X=$(echo "$CLAUDE_FILE_PATH")')
    assert [list_faults(command)[0].is_message for command in commands] == [True, False, False]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("README.md", "Run `export FILE_PATH=a.py` first.\n"),
        ("run.sh", "FILE_PATH=a.py claude -p go\n"),
        (".env.sample", "FILE_PATH=a.py\n"),
        ("start.py", 'os.environ["FILE_PATH"] = path\n'),
        ("compose.yml", "environment:\n  FILE_PATH: a.py\n"),
    ],
)
def test_variable_that_the_project_exports_is_not_reported(path, text):
    assert not list_faults("ruff $FILE_PATH", {path: text})
    assert list_faults("ruff $FILE_PATH", {path: "FILE_PATH=$(pwd)/a.py\n" if path == "run.sh" else "FILE_PATH\n"})
