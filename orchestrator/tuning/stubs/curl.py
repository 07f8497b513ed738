"""A stub of curl that answers from a table of responses, without network.

State: `responses`, a map from `URL` or `METHOD URL` to `{"status": 200, "headers": {}, "body": ""}`. As with the real
curl, an error status makes the command fail only with `--fail`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from orchestrator.tuning.stubs.flags import build_flags, parse
from orchestrator.tuning.stubs.program import StubError

_FLAGS = build_flags(
    "-s --silent", "-S --show-error", "-f --fail", "--fail-with-body", "-L --location", "-i --include", "-I --head",
    "-v --verbose", "-k --insecure", "-G --get", "-O --remote-name", "-o --output=", "-X --request=", "-H --header=",
    "-d --data=", "--data-raw=", "--data-binary=", "--data-urlencode=", "-u --user=", "-A --user-agent=", "-F --form=",
    "-m --max-time=", "--connect-timeout=", "--retry=", "--retry-delay=", "-w --write-out=", "--json=", "--url=",
    "--compressed",
)  # fmt: skip
_MAX_REDIRECTS = 10


def act(arguments: Sequence[str], state: dict[str, Any]) -> str:
    """Return the output of one call. Raises StubError."""
    urls, given = parse(arguments, _FLAGS, "curl: option {}: is unknown")
    urls = [*urls, *given.get("--url", ())]
    if not urls:
        raise StubError("curl: (2) no URL specified", 2)
    has_body = any(name in given for name in ("--data", "--data-raw", "--data-binary", "--json", "--form"))
    method = given.get("--request", ["HEAD" if "--head" in given else "POST" if has_body else "GET"])[-1]
    return "\n".join(filter(None, (_fetch(url, method, given, state) for url in urls)))


def _fetch(url: str, method: str, given: dict[str, list[str]], state: dict[str, Any]) -> str:
    found, at = _find_response(url, method, "--location" in given, state)
    status, body = int(found.get("status", 200)), str(found.get("body", ""))
    if "--fail" in given and status >= 400:
        raise StubError(f"curl: (22) The requested URL returned error: {status}", 22)
    head = "\n".join((f"HTTP/2 {status}", *(f"{k}: {v}" for k, v in found.get("headers", {}).items()), ""))
    shown = head if "--head" in given else f"{head}\n{body}" if "--include" in given else body
    target = given.get("--output", [urlsplit(at).path.rpartition("/")[2]] if "--remote-name" in given else [""])[-1]
    if target and target != "-":
        if target != "/dev/null":
            Path(target).write_text(shown)
        shown = ""
    wanted = given.get("--write-out", [""])[-1].replace("\\n", "\n")
    return shown + wanted.replace("%{http_code}", str(status)).replace("%{response_code}", str(status))


def _find_response(url: str, method: str, follow: bool, state: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the response to a request, and the URL that it came from after redirects."""
    table = state.get("responses", {})
    for _ in range(_MAX_REDIRECTS):
        url = url if "://" in url else f"http://{url}"
        found = table.get(f"{method} {url}") or table.get(url)
        if found is None:
            host = urlsplit(url).hostname
            if any(urlsplit(key.split()[-1]).hostname == host for key in table):
                return {"status": 404, "body": "not found"}, url
            raise StubError(f"curl: (6) Could not resolve host: {host}", 6)
        target = next((v for k, v in found.get("headers", {}).items() if k.lower() == "location"), "")
        if not (follow and target and 300 <= int(found.get("status", 200)) < 400):
            return found, url
        url = target
    raise StubError(f"curl: (47) Maximum ({_MAX_REDIRECTS}) redirects followed", 47)
