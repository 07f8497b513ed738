"""Test finding the notes of an agent, and loading and searching policies."""

import json
import os

import pytest

import schemas
from orchestrator.errors import BadInput
from orchestrator.guard.sessions.artifacts import AgentArtifacts, find_latest_artifacts
from orchestrator.guard.sessions.config import ProjectConfig
from orchestrator.guard.sessions.manifest import (
    deep_merge,
    get_overlay_path,
    load_base_manifest,
    load_merged_manifest,
    search_policies,
)


def test_find_latest_artifacts_returns_the_newest_of_each_kind(project, monkeypatch):
    monkeypatch.setenv("MACF_AGENT_ROOT", str(project / "agent"))
    config = ProjectConfig()
    for folder, names in ((config.checkpoints_path, "abc"), (config.roadmaps_path, "d")):
        folder.mkdir(parents=True)
        for age, name in enumerate(names):
            (folder / f"{name}.md").write_text(name)
            os.utime(folder / f"{name}.md", (1000 - age, 1000 - age))
    (config.checkpoints_path / "newer.txt").write_text("no note")
    artifacts = find_latest_artifacts(limit=2)
    assert [path.stem for path in artifacts.checkpoints] == ["a", "b"]
    assert artifacts.latest_checkpoint.stem == "a"
    assert artifacts.latest_reflection is None
    assert [path.stem for path in artifacts.all_paths()] == ["a", "b", "d"]
    assert artifacts


def test_find_latest_artifacts_is_empty_without_notes(project, monkeypatch):
    monkeypatch.setenv("MACF_AGENT_ROOT", str(project / "none"))
    assert find_latest_artifacts() == AgentArtifacts()
    assert not find_latest_artifacts()


def test_shipped_policies_match_schema_and_folders(project):
    schemas.check("policy_manifest", load_base_manifest())
    config = ProjectConfig()
    folders = {config.agent_root / ca_type["folder"] for ca_type in load_base_manifest()["ca_types"].values()}
    assert folders == {config.checkpoints_path, config.reflections_path, config.roadmaps_path}


def test_deep_merge_merges_removes_and_replaces():
    base = {"a": {"b": 1, "c": [1, 2]}, "d": 1, "e": {"f": 1}}
    overlay = {"a": {"c": [3], "g": 2}, "d": None, "e": 5, "h": {"i": {"j": 1}}}
    assert deep_merge(base, overlay) == {"a": {"b": 1, "c": [3], "g": 2}, "e": 5, "h": {"i": {"j": 1}}}
    assert base == {"a": {"b": 1, "c": [1, 2]}, "d": 1, "e": {"f": 1}}


def write_overlay(value):
    get_overlay_path().parent.mkdir(parents=True)
    get_overlay_path().write_text(value if isinstance(value, str) else json.dumps(value))


def test_overlay_changes_adds_and_removes_policies(project):
    write_overlay(
        {"policies": {"recovery": {"rules": ["Ask."]}, "delegation": None, "tests": {"description": "When to test."}}}
    )
    policies = load_merged_manifest()["policies"]
    assert policies["recovery"]["rules"] == ["Ask."]
    assert policies["recovery"]["description"] == load_base_manifest()["policies"]["recovery"]["description"]
    assert "tests" in policies
    assert "delegation" not in policies


@pytest.mark.parametrize("text", ["{", "[]", '{"policies": {"x": {}}}', '{"policies": null}', '{"other": 1}'])
def test_invalid_overlay_is_named(project, text):
    write_overlay(text)
    with pytest.raises(BadInput, match=r"manifest\.json"):
        load_merged_manifest()


def test_search_policies_needs_all_words_best_first():
    def entry(description, *keywords):
        return {"description": description, "keywords": list(keywords)}

    manifest = {"policies": {
        "testing": entry("How to test."), "review": entry("Read it.", "Testing"), "other": entry("Testing of style."),
    }}  # fmt: skip
    assert search_policies(manifest, "TESTING") == ["testing", "review", "other"]
    assert search_policies(manifest, "testing style") == ["other"]
    assert search_policies(manifest, "cheese") == search_policies(manifest, " ") == []
