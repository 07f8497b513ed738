"""Provide a stub of curl that answers from a table of responses, without network.

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
    """Return the output of one call. Raises StubError if curl would fail."""
    urls, flags = parse(arguments, _FLAGS, "curl: option {}: is unknown")
    urls = [*urls, *flags.get("--url", ())]
    if not urls:
        raise StubError("curl: (2) no URL specified", 2)
    has_body = any(name in flags for name in ("--data", "--data-raw", "--data-binary", "--json", "--form"))
    method = flags.get("--request", ["HEAD" if "--head" in flags else "POST" if has_body else "GET"])[-1]
    return "\n".join(filter(None, (_fetch(url, method, flags, state) for url in urls)))


def _fetch(url: str, method: str, flags: dict[str, list[str]], state: dict[str, Any]) -> str:
    response, final_url = _find_response(url, method, "--location" in flags, state)
    status, body = int(response.get("status", 200)), str(response.get("body", ""))
    if "--fail" in flags and status >= 400:
        raise StubError(f"curl: (22) The requested URL returned error: {status}", 22)
    head = "\n".join((f"HTTP/2 {status}", *(f"{k}: {v}" for k, v in response.get("headers", {}).items()), ""))
    output = head if "--head" in flags else f"{head}\n{body}" if "--include" in flags else body
    remote_name = urlsplit(final_url).path.rpartition("/")[2] if "--remote-name" in flags else ""
    file = flags.get("--output", [remote_name])[-1]
    if file and file != "-":
        if file != "/dev/null":
            Path(file).write_text(output)
        output = ""
    template = flags.get("--write-out", [""])[-1].replace("\\n", "\n")
    return output + template.replace("%{http_code}", str(status)).replace("%{response_code}", str(status))


def _find_response(url: str, method: str, follow: bool, state: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the response to a request, and the URL that it came from, after any redirects."""
    table = state.get("responses", {})
    for _ in range(_MAX_REDIRECTS):
        url = url if "://" in url else f"http://{url}"
        response = table.get(f"{method} {url}") or table.get(url)
        if response is None:
            host = urlsplit(url).hostname
            if any(urlsplit(key.split()[-1]).hostname == host for key in table):
                return {"status": 404, "body": "not found"}, url
            raise StubError(f"curl: (6) Could not resolve host: {host}", 6)
        target = next((v for k, v in response.get("headers", {}).items() if k.lower() == "location"), "")
        is_redirect = bool(target) and 300 <= int(response.get("status", 200)) < 400
        if not (follow and is_redirect):
            return response, url
        url = target
    raise StubError(f"curl: (47) Maximum ({_MAX_REDIRECTS}) redirects followed", 47)
