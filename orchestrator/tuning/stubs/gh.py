"""Provide a stub of gh, the command line of GitHub. Its pull requests, issues and so on are in a state file.

State: `repo` ("owner/name"), `user`, and the lists `pulls`, `issues`, `releases`, `runs` and `labels`. Their objects
have the keys of `gh --json`. Lists have the default limits of gh. A call that the stub cannot answer is an error.
Source of flags, limits and messages: the manual of gh 2.x.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from actions.regex import regex
from orchestrator.tuning.stubs.flags import build_flags, parse
from orchestrator.tuning.stubs.program import StubError

State = dict[str, Any]
Flags = Mapping[str, list[str]]
"""The flags of a call: a map from each long name to its values, as `flags.parse` returns it."""

_COMMON_FLAGS = ("-R --repo=",)
_OUTPUT_FLAGS = ("--json=", "-q --jq=", "-w --web")
_BODY_FLAGS = ("-b --body=", "-F --body-file=")
_LIST_FLAGS = (
    *_OUTPUT_FLAGS,
    "-L --limit=",
    "-s --state=",
    "-l --label=",
    "-A --author=",
    "-a --assignee=",
    "-S --search=",
)
_EDIT_FLAGS = (*_BODY_FLAGS, "-t --title=", "--add-label=", "--remove-label=", "--add-assignee=", "-B --base=")
_FLAGS: Mapping[str, tuple[str, ...]] = {
    "auth status": ("-t --show-token", "-h --hostname="),
    "repo view": (*_OUTPUT_FLAGS, "-b --branch="),
    "pr list": (*_LIST_FLAGS, "-B --base=", "-H --head=", "-d --draft"), "pr view": (*_OUTPUT_FLAGS, "-c --comments"),
    "pr checks": ("--watch", "--required", *_OUTPUT_FLAGS), "pr diff": ("--name-only", "--patch"),
    "pr create": (*_BODY_FLAGS, "-t --title=", "-B --base=", "-H --head=", "-d --draft", "-f --fill", "-l --label=",
                  "-r --reviewer=", "-a --assignee="),
    "pr comment": _BODY_FLAGS, "pr review": (*_BODY_FLAGS, "-a --approve", "-r --request-changes", "-c --comment"),
    "pr merge": (*_BODY_FLAGS, "-s --squash", "-m --merge", "-r --rebase", "--auto", "-d --delete-branch", "--admin"),
    "pr close": ("-c --comment=", "-d --delete-branch"), "pr reopen": ("-c --comment=",), "pr edit": _EDIT_FLAGS,
    "pr ready": ("--undo",),
    "issue list": _LIST_FLAGS, "issue view": (*_OUTPUT_FLAGS, "-c --comments"), "issue comment": _BODY_FLAGS,
    "issue edit": _EDIT_FLAGS, "issue create": (*_BODY_FLAGS, "-t --title=", "-l --label=", "-a --assignee="),
    "issue close": ("-c --comment=", "-r --reason="), "issue reopen": ("-c --comment=",),
    "run list": (*_OUTPUT_FLAGS, "-L --limit=", "-w --workflow=", "-b --branch=", "-s --status="),
    "run view": (*_OUTPUT_FLAGS, "--log", "--log-failed", "-v --verbose"), "run rerun": ("--failed",), "run watch": (),
    "release list": (*_OUTPUT_FLAGS, "-L --limit="), "release view": _OUTPUT_FLAGS,
    "release delete": ("-y --yes", "--cleanup-tag"),
    "release create": ("-t --title=", "-n --notes=", "-F --notes-file=", "--generate-notes", "-d --draft",
                       "-p --prerelease", "--latest", "--target="),
    "label list": (*_OUTPUT_FLAGS, "-L --limit=", "-S --search="),
    "api": ("-X --method=", "-f --raw-field=", "-F --field=", "-H --header=", "--paginate", "-q --jq="),
}  # fmt: skip
_STATE_LISTS = {"pr": "pulls", "issue": "issues", "run": "runs", "release": "releases", "label": "labels"}
_ID_KEYS = {"pr": "number", "issue": "number", "run": "databaseId", "release": "tagName", "label": "name"}
_DEFAULT_LIMITS = {"run": 20}
_DEFAULT_LIMIT = 30
_COLUMNS = {
    "pr": ("number", "title", "headRefName", "state"), "issue": ("number", "state", "title"),
    "run": ("status", "conclusion", "displayTitle", "headBranch", "databaseId"), "release": ("name", "tagName"),
    "label": ("name", "description", "color"),
}  # fmt: skip
_API_LISTS = {"pulls": "pulls", "issues": "issues", "releases": "releases", "labels": "labels"}
_JQ = regex(r"(\.|length|\.\[\](?:\.\w+)?|\.\w+)(?:\s*\|\s*(length))?")


def act(arguments: Sequence[str], state: State) -> str:
    """Return the output of one call. Raises StubError if gh would fail, or if the stub cannot answer the call."""
    count = 1 if arguments[:1] == ["api"] else 2
    command = " ".join(arguments[:count])
    if command not in _FLAGS:
        raise StubError(f'unknown command "{command}" for "gh" (this stub has {", ".join(sorted(_FLAGS))})')
    known_flags = build_flags(*_COMMON_FLAGS, *_FLAGS[command])
    rest, flags = parse(arguments[count:], known_flags, f"unknown flag: {{}}\n\nUsage:  gh {command} [flags]")
    if "--web" in flags:
        raise StubError("no browser is available")
    if command == "api":
        return _call_api(rest, flags, state)
    if command == "auth status":
        return f"github.com\n  ✓ Logged in to github.com account {state.get('user', 'me')}"
    if command == "repo view":
        name = state.get("repo", "owner/repo")
        return _format_item(
            {"nameWithOwner": name, "name": name.rpartition("/")[2], **state.get("repository", {})}, flags
        )
    kind, verb = command.split()
    return _VERBS[verb](kind, rest, flags, state)


def _list(kind: str, rest: Sequence[str], flags: Flags, state: State) -> str:
    limit = _get_flag(flags, "limit") or str(_DEFAULT_LIMITS.get(kind, _DEFAULT_LIMIT))
    if not limit.isdecimal() or int(limit) < 1:
        raise StubError(f"invalid limit: {limit}")
    items = [item for item in state.get(_STATE_LISTS[kind], ()) if _matches(kind, item, flags)][: int(limit)]
    if "--json" in flags:
        return _format_json([_select_fields(item, flags) for item in items], flags)
    return "\n".join("\t".join(str(item.get(key, "")) for key in _COLUMNS[kind]) for item in items)


def _matches(kind: str, item: Mapping[str, Any], flags: Flags) -> bool:
    wanted = (_get_flag(flags, "state") or "open").upper() if kind in ("pr", "issue") else "ALL"
    state = str(item.get("state", "OPEN")).upper()
    is_merged_issue = kind == "issue" and wanted == "CLOSED" and state == "MERGED"
    labels = {label["name"] if isinstance(label, dict) else label for label in item.get("labels", ())}
    author = item.get("author", "")
    login = author["login"] if isinstance(author, dict) else author
    fields = {
        "base": "baseRefName",
        "head": "headRefName",
        "branch": "headBranch",
        "workflow": "workflowName",
        "status": "status",
    }
    words = (_get_flag(flags, "search") or "").casefold().split()
    text = json.dumps(item, ensure_ascii=False).casefold()
    return (
        (wanted in ("ALL", state) or is_merged_issue)
        and labels.issuperset(flags.get("--label", ()))
        and _get_flag(flags, "author") in (None, login)
        and ("--draft" not in flags or item.get("isDraft") is True)
        and all(_get_flag(flags, flag) in (None, item.get(key)) for flag, key in fields.items())
        and all(word in text for word in words if ":" not in word)
    )


def _view(kind: str, rest: Sequence[str], flags: Flags, state: State) -> str:
    item = _find_item(kind, rest, state)
    text = "\n".join(f"{key}:\t{value}" for key, value in item.items() if not isinstance(value, dict | list))
    return _format_item(item, flags) if "--json" in flags else text


def _view_checks(kind: str, rest: Sequence[str], flags: Flags, state: State) -> str:
    rows = _find_item(kind, rest, state).get("checks", ())
    if not rows:
        raise StubError("no checks reported on this branch")
    text = "\n".join(f"{check['name']}\t{check['state']}" for check in rows)
    if any(check["state"] == "fail" for check in rows):
        raise StubError(text)
    return text


def _view_diff(kind: str, rest: Sequence[str], flags: Flags, state: State) -> str:
    return str(_find_item(kind, rest, state).get("diff", ""))


def _create(kind: str, rest: Sequence[str], flags: Flags, state: State) -> str:
    rows = state.setdefault(_STATE_LISTS[kind], [])
    if kind == "release":
        if not rest:
            raise StubError("tag required when not running interactively")
        rows.append(
            {"tagName": rest[0], "name": _get_flag(flags, "title") or rest[0], "body": _get_flag(flags, "notes") or ""}
        )
        return f"https://github.com/{state.get('repo', 'owner/repo')}/releases/tag/{rest[0]}"
    title = _get_flag(flags, "title")
    if title is None and "--fill" not in flags:
        raise StubError("must provide `--title` and `--body` (or `--fill`) when not running interactively")
    numbered = (*state.get("pulls", ()), *state.get("issues", ()))
    number = max((item.get("number", 0) for item in numbered), default=0) + 1
    heads = {
        "headRefName": _get_flag(flags, "head") or _read_branch(),
        "baseRefName": _get_flag(flags, "base") or "main",
    }
    row = {"number": number, "title": title or "", "body": _read_body(flags), "state": "OPEN"}
    rows.append({**row, **(heads if kind == "pr" else {}), "labels": flags.get("--label", [])})
    return f"https://github.com/{state.get('repo', 'owner/repo')}/{'pull' if kind == 'pr' else 'issues'}/{number}"


def _comment(kind: str, rest: Sequence[str], flags: Flags, state: State) -> str:
    verdicts = [name for name in ("approve", "request-changes") if f"--{name}" in flags]
    body = _read_body(flags)
    if not (body or verdicts):
        raise StubError("flags required when not running interactively")
    item = _find_item(kind, rest, state)
    if verdicts:
        item["reviewDecision"] = {"approve": "APPROVED", "request-changes": "CHANGES_REQUESTED"}[verdicts[0]]
    item.setdefault("comments", []).append({"body": body})
    return ""


def _merge(kind: str, rest: Sequence[str], flags: Flags, state: State) -> str:
    item = _find_item(kind, rest, state)
    if not {"--squash", "--merge", "--rebase"} & flags.keys():
        raise StubError("--merge, --rebase, or --squash required when not running interactively")
    if item.get("state", "OPEN") != "OPEN":
        raise StubError(f"Pull request #{item['number']} is not open")
    if item.get("mergeable") == "CONFLICTING":
        raise StubError(f"Pull request #{item['number']} is not mergeable: the merge commit cannot be cleanly created.")
    item["state"], item["branchDeleted"] = "MERGED", "--delete-branch" in flags
    return f"✓ Merged pull request #{item['number']}"


def _build_state_verb(new_state: str) -> Callable[[str, Sequence[str], Flags, State], str]:
    """Return the function for a verb that only sets the state of an item, such as `close`."""

    def set_state(kind: str, rest: Sequence[str], flags: Flags, state: State) -> str:
        item = _find_item(kind, rest, state)
        item["state"] = new_state
        if "--delete-branch" in flags:
            item["branchDeleted"] = True
        if comment := _get_flag(flags, "comment"):
            item.setdefault("comments", []).append({"body": comment})
        return ""

    return set_state


def _edit(kind: str, rest: Sequence[str], flags: Flags, state: State) -> str:
    item = _find_item(kind, rest, state)
    names = {"title": "title", "base": "baseRefName", "body": "body"}
    item |= {key: value for flag, key in names.items() if (value := _get_flag(flags, flag)) is not None}
    labels = [label for label in item.get("labels", ()) if label not in flags.get("--remove-label", ())]
    item["labels"] = [*labels, *flags.get("--add-label", ())]
    return ""


def _mark_ready(kind: str, rest: Sequence[str], flags: Flags, state: State) -> str:
    _find_item(kind, rest, state)["isDraft"] = "--undo" in flags
    return ""


def _rerun(kind: str, rest: Sequence[str], flags: Flags, state: State) -> str:
    _find_item(kind, rest, state)["status"] = "queued"
    return ""


def _delete(kind: str, rest: Sequence[str], flags: Flags, state: State) -> str:
    if "--yes" not in flags:
        raise StubError("--yes required when not running interactively")
    state[_STATE_LISTS[kind]].remove(_find_item(kind, rest, state))
    return ""


_VERBS: Mapping[str, Callable[[str, Sequence[str], Flags, State], str]] = {
    "list": _list, "view": _view, "watch": _view, "checks": _view_checks, "diff": _view_diff, "create": _create,
    "comment": _comment, "review": _comment, "merge": _merge, "close": _build_state_verb("CLOSED"),
    "reopen": _build_state_verb("OPEN"), "edit": _edit, "ready": _mark_ready, "rerun": _rerun, "delete": _delete,
}  # fmt: skip


def _call_api(rest: Sequence[str], flags: Flags, state: State) -> str:
    """Answer a GET request for a list in the repository. As on GitHub, a page has 30 items by default."""
    address = urlsplit(rest[0].lstrip("/") if rest else "")
    prefixes = ("repos/{owner}/{repo}/", f"repos/{state.get('repo', 'owner/repo')}/")
    name = next((address.path.removeprefix(prefix) for prefix in prefixes if address.path.startswith(prefix)), "")
    has_fields = "--raw-field" in flags or "--field" in flags
    method = _get_flag(flags, "method") or ("POST" if has_fields else "GET")
    if method != "GET" or name not in _API_LISTS:
        raise StubError("gh: Not Found (HTTP 404)")
    query = {key: values[-1] for key, values in parse_qs(address.query).items()}
    size, page = min(100, int(query.get("per_page", _DEFAULT_LIMIT))), int(query.get("page", 1))
    wanted = query.get("state", "open").upper()
    rows = [
        item
        for item in state.get(_API_LISTS[name], ())
        if name not in ("pulls", "issues") or wanted in ("ALL", str(item.get("state", "OPEN")).upper())
    ]
    return _format_json(rows if "--paginate" in flags else rows[(page - 1) * size : page * size], flags)


def _find_item(kind: str, rest: Sequence[str], state: State) -> Any:
    """Return the item whose id is the first argument, or else the pull request of the current branch."""
    if not rest and kind != "pr":
        raise StubError("argument required when not running interactively")
    wanted = rest[0].rpartition("/")[2].lstrip("#") if rest else _read_branch()
    for item in state.get(_STATE_LISTS[kind], ()):
        if wanted in (str(item.get(_ID_KEYS[kind])), item.get("headRefName")):
            return item
    if not rest:
        raise StubError(f'no pull requests found for branch "{wanted}"')
    raise StubError(f"GraphQL: Could not resolve to a {kind} with the number or name of {wanted}.")


def _read_branch() -> str:
    folders = (Path.cwd(), *Path.cwd().parents)
    head = next((folder / ".git" / "HEAD" for folder in folders if (folder / ".git" / "HEAD").is_file()), None)
    return head.read_text().strip().rpartition("refs/heads/")[2] if head else ""


def _format_item(item: Mapping[str, Any], flags: Flags) -> str:
    return _format_json(_select_fields(item, flags) if "--json" in flags else dict(item), flags)


def _select_fields(item: Mapping[str, Any], flags: Flags) -> dict[str, Any]:
    return {key: item.get(key) for value in flags["--json"] for key in value.split(",") if key}


def _format_json(value: Any, flags: Flags) -> str:
    """Return a value as JSON, or the output of a simple `--jq` filter."""
    jq_filter = _get_flag(flags, "jq")
    if jq_filter is None:
        return json.dumps(value, ensure_ascii=False)
    found = _JQ.fullmatch(jq_filter.strip())
    if found is None:
        raise StubError(f"this stub has only simple filters (.[].name, .name, length), not {jq_filter}; read the JSON")
    path, has_length = found.groups()
    if path == "length" or (has_length and path == "."):
        return str(len(value))
    rows = value if path.startswith(".[]") else [value]
    key = path.rpartition(".")[2].removeprefix("[]")
    return "\n".join(_format_value(row[key] if key and key in row else row) for row in rows)


def _format_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _get_flag(flags: Flags, name: str) -> str | None:
    return flags[f"--{name}"][-1] if f"--{name}" in flags else None


def _read_body(flags: Flags) -> str:
    file = _get_flag(flags, "body-file") or _get_flag(flags, "notes-file")
    if file:
        with open(0 if file == "-" else file) as stream:  # noqa: PTH123
            return stream.read()
    return _get_flag(flags, "body") or _get_flag(flags, "notes") or ""
