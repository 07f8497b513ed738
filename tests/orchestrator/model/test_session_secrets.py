"""Test that no command sends a secret of a session to a model.

Each command that lets a model read sessions is in `COMMANDS_THAT_READ`; a test fails if one is missing.
"""

import json

import click
import pytest
from click.testing import CliRunner

from actions.session.example import agent, bash, compact, edit, hook, use, user
from actions.session.redaction import HIDDEN
from orchestrator.cli import COMMANDS, cli
from orchestrator.guard.hooks.dispatch import dispatch
from tests.examples import make_messages
from tests.fakes import write_config
from tests.orchestrator.model.questions import OBJECTIVE
from tests.orchestrator.model.test_run_reading import LOADED_TEXT, TEXT
from tests.orchestrator.model.test_run_reading import observe_and_confirm as observe_run
from tests.scripted_api import answer_minimally, get_answer_schema, join_user_text, tool_call

SECRETS = {
    "password": "hunter22",
    "prompt": "ghp_q7Zp2Lx9Vb4Kt8Wm3Rs6Hd1Nw5abcdefgh",
    "call": "glpat-c3Yk8Tn1Jb6Xs4Qv9Mz2",
    "result": "r5Wh2Dq8Lc1Zn7Pk3Vt6Gs9xB",
    "colour": "gho_o4Fj9Sb3Rm7Ky1Xw6Hp2Ct8abcdefghij",
    "answer": "xoxb-a6Lt1Vd9Qn4Zs8Gk2Cy5",
    "summary": "npm_s8Bx3Mf7Jw1Pt5Hc9Rd2Kz6abcdefghijklm",
    "file": "sk-ant-f2Np6Ts9Xk4Wv1Qb8Gh5Lm",
    "long": "l9Cg4Zr8Dw2Yj6Sb1Fn7Kt3Mp",
    "hook": "hf_h1Vx5Kq9Tm3Lc7Rz2Jd8Wb4abcdefgh",
    "loaded": "AIzat7Mw2Gp6Hs1Bk9Yf4Nx8Zc3abcdefghijkl",
    "curl": "curl-hunter22",
    "mysql": "mysql-hunter22",
    "sudo": "sudo-hunter22",
    "sshpass": "sshpass-hunter22",
    "variable": "variable-swordfish",
    "stripe": "sk_live_e5Kw9Bt3Qz7Lm1Xv8Rc4",
    "slack": "xoxb-y2Hn6Dp8Fs4Gj1Wk5Vq9",
    "mail": "SG.i3Zb7Nt1Jx5Qk9Lw2Rm8.u6Yc4Ps8Vd2Hg9Kf3Tb7",
    "header": "j8Qv3Xn6Wz1Lp5Bk9Td2",
    "json": "json-hunter22",
    "markdown": "markdown-hunter22",
    "key": "p7Jd2Mb9Xw4Zq6Ks1Hv8Nt3Rc5Gf0Ly/AbCdEfGh+ijklMnopQrst",
    "nested": "nested-hunter22",
    "escaped": "escaped-hunter22",
}
"""A secret in each kind of record of a session, and in each form that a line may begin with."""
LINES = (
    f"curl -u admin:{SECRETS['curl']} https://quay.example",
    f"mysql -uroot -p{SECRETS['mysql']} quay < x.sql",
    f"echo {SECRETS['sudo']} | sudo -S systemctl restart quay",
    f"sshpass -p {SECRETS['sshpass']} ssh a@b",
    f"QUAY_KEY={SECRETS['variable']}",
    SECRETS["stripe"],
    SECRETS["slack"],
    SECRETS["mail"],
    f"curl -H 'Authorization: Token {SECRETS['header']}' https://quay.example",
    f'curl -d \'{{"user":"x","pass":"{SECRETS["json"]}"}}\' https://quay.example',
    f"- **Password:** {SECRETS['markdown']}",
    f"-----BEGIN PRIVATE KEY-----\n{SECRETS['key']}\n-----END PRIVATE KEY-----",
)
"""Lines with secrets that a call has below its first line, where the newline before them is escaped in a prompt."""
LONG_RESULT = f"{'a tern. ' * 489}\nCLIENT_SECRET={'x1' * 60}{SECRETS['long']}\n{'a gull. ' * 496}"
"""A result whose middle is left out. The cut is in the value."""
PARTS = (
    hook(f"Use {SECRETS['hook']}."),
    *make_messages(user(f"Cast off with {SECRETS['prompt']}.")),
    {"type": "user", "isMeta": True, "message": {"role": "user", "content": [
        {"type": "text", "text": f"{LOADED_TEXT}\n{SECRETS['loaded']}\n"}]}},
    *make_messages(
        bash("berth depart --now 1", f"AWS_SECRET_ACCESS_KEY={SECRETS['result']}\nDB_PASSWORD={SECRETS['password']}\ngone"),
        bash(f"berth login --with {SECRETS['call']}", f"\x1b[31m{SECRETS['colour']}\x1b[0m\nlogged in", error=True),
        bash("berth list", LONG_RESULT),
        use("Agent", f"The password is {SECRETS['result']}", prompt=f"password={SECRETS['result']}"),
        edit("a.py", f'key = "{SECRETS["file"]}"', "a"),
        agent(f"Gone. The token is {SECRETS['answer']}."),
        *(bash(f"cd /srv\n{line}\nls", "moored") for line in LINES),
        *(bash(f"printf x\t{line}", "moored") for line in LINES),
        use("Write", path="/srv/quay.txt", content="\n".join(("Mooring:", *LINES, "The end."))),
        use("mcp__quay__moor", "moored", steps=[{"run": f"cd /srv\nmysql -p{SECRETS['nested']} quay"}]),
        bash("jq . run.json", json.dumps({"run": f"cd /srv\nmysql -p{SECRETS['escaped']} quay"})),
        bash("pytest", "3 passed in 0.1s"),
        prefix="b",
    ),
    compact(),
    {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": f"They use {SECRETS['summary']}."}},
    *make_messages(agent("Done.")),
)  # fmt: skip
COMMANDS_THAT_READ = {
    "check": ("{session}", "--judge", "sdk"),
    "diagnose": ("{skill}", "--sessions", "{folder}", "--judge", "sdk"),
    "run": ("{skill}", "--sessions", "{folder}", "--judge", "sdk", "--apply", "none"),
    "sessions": ("{skill}", "--judge", "sdk"),
}
"""The arguments of each command that lets a model read recorded sessions."""
READ_LIKE_OTHERS = {"answer", "apply", "resume", "mcp", "hook"}
"""Commands that ask the questions of `run` in a run that is started or continued, or those of `check` (the Stop hook)."""
READ_OWN_RUNS = {"improve", "trial", "trigger"}
"""Commands that read what they ran themselves."""
SEND_NOTHING = set(
    "status report rollback trust listing patterns strategies lsp fleet install uninstall hooks config events session dev-drv"
    " policy agent".split()
)


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Return the paths of a project with a skill and two sessions that have secrets."""
    root, folder = tmp_path / "quay", tmp_path / "claude" / "projects" / "-quay"
    skill = root / ".claude" / "skills" / "depart"
    for path in (root / ".git", folder, skill):
        path.mkdir(parents=True)
    (skill / "SKILL.md").write_text(TEXT)
    for n in (1, 2):
        records = [{"type": "x", "cwd": str(root), "sessionId": f"boat-{n}", **_to_record(part)} for part in PARTS]
        (folder / f"boat-{n}.jsonl").write_text("\n".join(map(json.dumps, records)))
    monkeypatch.chdir(root)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    return {"root": root, "skill": skill, "folder": folder, "session": folder / "boat-1.jsonl"}


def _to_record(part):
    return part if "type" in part else {"type": part["role"], "message": part}


def read_all(request):
    """Answer every question so that the later ones are asked, too."""
    properties = get_answer_schema(request).get("properties", {})
    return observe_run(request) if {"observations", "checks"} & set(properties) else answer_minimally(request)


def list_leaks(api):
    """Return the kinds of secrets that reached the model, each also if only its end did."""
    bodies = json.dumps(api.model_requests)
    return [kind for kind, secret in SECRETS.items() if secret[-16:] in bodies]


def test_each_command_is_known_to_read_sessions_or_not():
    context = click.Context(cli)
    listed = (set(COMMANDS_THAT_READ), READ_LIKE_OTHERS, READ_OWN_RUNS, SEND_NOTHING)
    assert sorted(name for names in listed for name in names) == sorted(COMMANDS)
    asking = {name for name in COMMANDS if "judge" in {p.name for p in cli.get_command(context, name).params}}
    assert asking == set(COMMANDS_THAT_READ)


@pytest.mark.slow
@pytest.mark.usefixtures("one_start_per_schema")
@pytest.mark.parametrize("command", COMMANDS_THAT_READ)
def test_no_command_sends_a_secret_of_a_session(command, places, api):
    api.script = read_all
    arguments = [command, *(part.format(**places) for part in COMMANDS_THAT_READ[command])]
    CliRunner().invoke(cli, arguments, standalone_mode=False, catch_exceptions=False)
    assert HIDDEN in json.dumps(api.model_requests), "the session was not read"
    assert list_leaks(api) == []


def test_stop_hook_sends_no_secret_of_a_session(places, api, write_considerations):
    write_considerations(OBJECTIVE, places["root"])
    write_config(places["root"], hooks={"power_steering": True, "judge": "sdk"})
    hook_input = {"session_id": "boat-1", "transcript_path": str(places["session"]), "hook_event_name": "Stop",
                  "cwd": str(places["root"])}  # fmt: skip

    def quote_what_is_hidden(request):
        evidence = [{"record": 4, "quote": f"DB_PASSWORD={HIDDEN}"}]
        item = {"id": "objective_completion", "verdict": "not_satisfied", "reason": "it leaks", "evidence": evidence}
        return tool_call("StructuredOutput", answers=[item])

    api.script = quote_what_is_hidden
    answer = dispatch("Stop", json.dumps(hook_input), testing=False)
    assert f"DB_PASSWORD={HIDDEN}" in join_user_text(api.model_requests[0])
    assert list_leaks(api) == []
    assert "it leaks" in answer["reason"]
