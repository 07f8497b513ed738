"""Test README and docs/: their generated parts are up to date, their links have targets, their commands exist."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path

import click
import pytest
import yaml
from markdown_it import MarkdownIt

import schemas
from orchestrator.cli import cli

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "benchmarks").glob("*.md"), *(ROOT / "docs").glob("*.md")]
)
_LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
_VARIABLE = re.compile(r"\b(?:TUNE_SKILL|MACF|AMPLIHACK)_[A-Z_]+\b")


def parametrize_pages(pages=PAGES):
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


def find_code_blocks(page, *languages):
    """Return the code blocks of a page in these languages."""
    tokens = MarkdownIt().parse(page.read_text())
    return [token.content for token in tokens if token.type == "fence" and token.info.split(" ")[0] in languages]


@cache
def list_anchors(page):
    """Return the anchors that GitHub makes from the headings of a page."""
    tokens = MarkdownIt().parse(page.read_text())
    titles = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_pages_generated_from_code_are_up_to_date():
    pages = [str(page) for page in PAGES if "[[[cog" in page.read_text()]
    assert len(pages) >= 4
    command = [sys.executable, "-m", "cogapp", "--check", "--diff", "-P", "-I", "docs", "-p", "import derived, walk"]
    process = subprocess.run([*command, *pages], cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, f"run ./dev generate\n{process.stdout[:4000]}{process.stderr}"


@parametrize_pages()
def test_links_of_pages_resolve(page):
    for link_groups in _LINK.findall(page.read_text()):
        target = "".join(link_groups)
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        assert not anchor or anchor in list_anchors(file), target


def list_commands(page):
    """Return the commands in the code blocks of a page, without prompts and shell syntax."""
    for block in find_code_blocks(page, "sh", "console"):
        for line in block.replace("\\\n", " ").splitlines():
            words = line.removeprefix("$ ").lstrip()
            if words.startswith(("tune-skill ", "./dev ")) and (line.startswith("$ ") or "$ " not in block):
                yield shlex.split(re.split(r" [|>] ", words)[0], comments=True)


@parametrize_pages()
def test_commands_of_pages_exist(page):
    for name, *words in list_commands(page):
        if name == "./dev":
            assert re.search(rf"^    {words[0]}\)", (ROOT / "dev").read_text(), re.MULTILINE), words
        else:
            parse_command_line(words)


def parse_command_line(words):
    """Parse a command line with the command's own parser; raise UsageError for an unknown word."""
    command, context = cli, cli.make_context("tune-skill", list(words))
    while isinstance(command, click.Group):
        name, command, words = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(name, list(words), parent=context)


def test_unknown_command_is_detected():
    with pytest.raises(click.UsageError):
        parse_command_line(["diagnose", "my-skill", "--frmat", "json"])


@parametrize_pages()
def test_data_blocks_of_pages_parse(page):
    for block in find_code_blocks(page, "json"):
        json.loads(block)
    for values in map(tomllib.loads, find_code_blocks(page, "toml")):
        if values.keys() & schemas.load("settings")["properties"].keys():  # otherwise it configures another program
            schemas.check("settings", values)
    for block in find_code_blocks(page, "yaml"):
        config = yaml.safe_load(block)
        for repo in config.get("repos", ()):
            (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
            assert [page_hook["id"] for page_hook in repo["hooks"]] == [hook["id"]]
        known = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
        for step in config.get("steps", ()):
            assert "tune-skill" not in step["uses"] or set(step["with"]) <= set(known)


def test_environment_variables_are_documented():
    documented = set(_VARIABLE.findall((ROOT / "docs" / "configuration.md").read_text()))
    files = [file for folder in ("orchestrator", "actions", "schemas") for file in (ROOT / folder).rglob("*.py")]
    assert documented == {name for file in files for name in _VARIABLE.findall(file.read_text())}


@parametrize_pages([ROOT / "CONTRIBUTING.md", ROOT / "README.md"])
def test_paths_of_pages_exist(page):
    paths = re.findall(
        r"`((?:orchestrator|actions|schemas|templates|tests|benchmarks|docs|examples|plugin)/[\w./]*)`",
        page.read_text(),
    )
    assert [path for path in paths if "NNN" not in path and not (ROOT / path).exists()] == []
