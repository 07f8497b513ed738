"""Test that no output of a finding has a secret of the line that it quotes."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from click.testing import CliRunner

from orchestrator.cli.diagnose import diagnose
from orchestrator.servers.mcp.project_findings import report_findings

SECRETS = ("q7Zp2Lx9Vb4Kt8", "w3Rs6Hd1Nw5Aa9", "b8Kd1Vx5Tr0Mm2", "hunter22x", "p4ssw0rd")
SETTINGS = {
    "env": {"GULL_TOKEN": SECRETS[0]},
    "hooks": {
        "BadEvent": [{"hooks": [{"type": "command", "command": f"DB_PASSWORD={SECRETS[3]} ./count.sh"}]}],
        "Stop": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": f"curl -H 'Authorization: Bearer {SECRETS[1]}' https://a.example; python3 .claude/hooks/gone.py",
                    }
                ]
            }
        ],
    },
}
SERVERS = {
    "mcpServers": {"birds": {"command": "~/birds", "args": [f"--token={SECRETS[2]}", f"redis://:{SECRETS[4]}@a"]}}
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return a project with hooks and servers that have both faults and secrets on the same lines."""
    monkeypatch.chdir(tmp_path)
    for path, value in {".claude/settings.local.json": SETTINGS, ".mcp.json": SERVERS}.items():
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(value))
    return tmp_path


@pytest.mark.parametrize("format_", ["concise", "full", "json", "markdown", "sarif"])
def test_no_format_of_a_diagnosis_shows_a_secret(project, format_):
    options = [".", "--format", format_, "--no-cache", "--write-baseline", "known.json"]
    output = CliRunner().invoke(diagnose, options, standalone_mode=False).output
    assert all(pattern in output for pattern in ("PRJ-001", "PRJ-003", "PRJ-043"))
    known = Path("known.json").read_text()
    assert known.count('"quote"') > 2
    assert [secret for secret in SECRETS if secret in output + known] == []
    assert ("withheld: it looks like a secret" in output) is (format_ != "concise")


def test_no_finding_of_the_server_shows_a_secret(project):
    findings = json.dumps(asdict(report_findings({"paths": ["."]}, None)))
    assert "withheld: it looks like a secret" in findings
    assert [secret for secret in SECRETS if secret in findings] == []
