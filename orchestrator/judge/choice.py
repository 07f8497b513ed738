"""Who judges: the SDK where it can be asked, else nobody; and the words that say which and why."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from actions.judging.judge import Judge
from actions.reporting.naming import NOBODY
from orchestrator.judge.budget import Budget
from schemas.issues import Cost
from schemas.options import CEILING_USD, Options

KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
PROVIDERS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")
CLI, MODEL = "TUNE_SKILL_JUDGE_CLI", "TUNE_SKILL_JUDGE_MODEL"
"""Which Claude Code is started, and which model it asks; unset: the one that the SDK carries, and its default."""

if TYPE_CHECKING:
    from actions.session.judging import SessionJudge
    from orchestrator.judge.sdk import SdkJudge
    from orchestrator.judge.sessions import QuestioningJudge
    from orchestrator.judge.waiting import WaitingJudge

Say = Callable[[str], None]


class Bench:
    """The judge of a command (`sdk`, or another one), or none and why."""

    def __init__(
        self,
        judge: Judge | None = None,
        why_none: str = "",
        sdk: "SdkJudge | None" = None,
        later: "WaitingJudge | None" = None,
    ) -> None:
        self.judge = sdk or later or judge
        self._later = later
        self._why_none = why_none
        self._sdk = sdk
        self._of_sessions: QuestioningJudge | None = None

    @property
    def name(self) -> str | None:
        """What the judge is called; None where nobody judges."""
        return self.judge.name if self.judge else None

    @property
    def reads_sessions(self) -> bool:
        """Whether it is asked about sessions. Who answers later is not: its own session may be one, and grows."""
        return self.judge is not None and self._later is None

    def waits(self) -> bool:
        """Return whether an answer has to come from outside before the run can go on."""
        return self._later is not None and self._later.waits()

    @property
    def spent(self) -> float:
        """What the judge has cost so far, in USD."""
        return self._sdk.budget.spent if self._sdk else 0.0

    @property
    def notes(self) -> tuple[str, ...]:
        """What the report says of the judge beside its answers: why there is none, or what it was not asked."""
        if self._why_none:
            return (f"{NOBODY}{self._why_none}",)
        unanswered = self._of_sessions.notes if self._of_sessions else ()
        return (*unanswered, *(self._sdk.notes if self._sdk else ()))

    def missing_in(self, cost: Cost) -> Cost:
        """Give what was paid and is not in `cost`: what a command was doing when it was stopped."""
        paid = self._sdk.memory.paid if self._sdk else cost
        return paid - cost

    def of_sessions(self) -> "SessionJudge | None":
        """Give the judge as one that reads sessions."""
        if self.judge is not None and self._of_sessions is None:
            from orchestrator.judge.sessions import QuestioningJudge

            self._of_sessions = QuestioningJudge(self.judge)
        return self._of_sessions

    def of_evidence(self, share: float) -> AbstractContextManager[Judge]:
        """Give the judge for sessions that are evidence beside a skill: it may spend a share of the ceiling."""
        if self.judge is None:
            raise LookupError("nobody judges")
        return self._sdk.sharing(share) if self._sdk else nullcontext(self.judge)


def bench_for(options: Options, say: Say, work_dir: Path | None = None) -> Bench:
    """Give the judge of skills that the options ask for. `say` hears what the user must know before anything is sent.

    Its answers, and what they have cost, are kept in the work dir: a later command goes on with what is left.
    """
    if options.judge == "mcp" and work_dir is not None:
        from orchestrator.judge.desk import Desk
        from orchestrator.judge.waiting import WaitingJudge

        return Bench(later=WaitingJudge(Desk(work_dir)))
    why = _why_none(options.judge, say)
    if why is not None:
        return Bench(why_none=why)
    from orchestrator.judge.memory import FOLDER, Memory
    from orchestrator.judge.sdk import SdkJudge

    memory = Memory(work_dir / FOLDER if work_dir else None)
    return Bench(sdk=SdkJudge(Budget(_ceiling(options.max_cost_usd), memory.paid.usd), memory, say=say))


def session_bench(choice: str, max_cost_usd: float | None, say: Say) -> Bench:
    """Give the judge of one session: it has less time, and what it answers is not kept."""
    why = _why_none(choice, say)
    if why is not None:
        return Bench(why_none=why)
    from orchestrator.judge.sdk import SdkJudge, of_sessions

    return Bench(sdk=SdkJudge(Budget(_ceiling(max_cost_usd)), limits=of_sessions(), say=say))


def _why_none(choice: str, say: Say) -> str | None:
    """Say why nobody is asked ("" when it was chosen so); None when there is a judge."""
    if choice == "none":
        return ""
    why = unusable(os.environ)
    if why and choice == "sdk":
        say(f"--judge sdk: {why}. Only what is proven is shown")
    return why or None


def _ceiling(max_cost_usd: float | None) -> float:
    return CEILING_USD if max_cost_usd is None else max_cost_usd


def unusable(env: Mapping[str, str]) -> str:
    """Say why the SDK cannot be asked, as far as a look without importing it tells; "" when nothing speaks against."""
    why = unstartable(env)
    if not why and not (given_access(env) or _has_login(env)):
        return "no key and no login for Claude was found; set ANTHROPIC_API_KEY, or log in with `claude`"
    return why


def unstartable(env: Mapping[str, str]) -> str:
    """Say why Claude Code cannot be started, whoever pays for it; "" when nothing speaks against."""
    spec = find_spec("claude_agent_sdk")
    if spec is None:
        return "claude-agent-sdk is not installed; install tune-skill again, it brings it along"
    if not _has_cli(env, [Path(place) for place in spec.submodule_search_locations or ()]):
        return "Claude Code was not found; install it, so that the command `claude` is on PATH"
    return ""


def receiver(env: Mapping[str, str]) -> str:
    """Say who gets what is sent."""
    for name, who in zip(PROVIDERS, ("Amazon Bedrock", "Google Vertex AI", "Microsoft Foundry"), strict=True):
        if env.get(name):
            return who
    try:
        return urlsplit(env.get("ANTHROPIC_BASE_URL", "")).hostname or "Anthropic"
    except ValueError:
        return "ANTHROPIC_BASE_URL"


def given_access(env: Mapping[str, str]) -> bool:
    """Whether the environment alone opens the way to a model: then no login has to be read from the disk."""
    return any(env.get(name) for name in (*KEYS, *PROVIDERS))


def own_cli(env: Mapping[str, str]) -> str | None:
    """Give the Claude Code that the user names, by a path or as a command; None where there is none."""
    found = shutil.which(Path(env.get(CLI, "")).expanduser(), path=env.get("PATH")) if env.get(CLI) else None
    return str(Path(found).absolute()) if found else None


def _has_cli(env: Mapping[str, str], package: list[Path]) -> bool:
    """Whether there is a Claude Code where the SDK looks for it."""
    if env.get(CLI):
        return own_cli(env) is not None
    home = Path(env.get("HOME", "/"))
    places = (".npm-global/bin/claude", ".local/bin/claude", "node_modules/.bin/claude", ".yarn/bin/claude",
              ".claude/local/claude")  # fmt: skip
    found = [*(folder / "_bundled" / "claude" for folder in package), *(home / place for place in places)]
    return any(os.access(file, os.X_OK) for file in found) or shutil.which("claude", path=env.get("PATH")) is not None


def _has_login(env: Mapping[str, str]) -> bool:
    """Whether Claude Code was logged in on this machine; on macOS only an account shows it, the secret is elsewhere."""
    own, home = env.get("CLAUDE_CONFIG_DIR"), Path(env.get("HOME", "/"))
    folder = Path(own) if own else home / ".claude"
    try:
        if (folder / ".credentials.json").stat().st_size:
            return True
    except OSError:
        pass
    try:
        account = json.loads(((folder if own else home) / ".claude.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(account, dict) and bool(account.get("oauthAccount"))
