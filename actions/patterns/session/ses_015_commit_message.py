"""Commits break the rules of the text for their messages.

It is:
- a `Co-Authored-By` line of Claude that is not the one in the text's template, in two sessions or more (proven)
- a line that names Claude as an author although the text forbids it, in two sessions or more (proven)
- a subject that is longer than the text allows, in two sessions or more (proven)
It is not:
- a rule with a condition, a preference, or an approximate length
- a template in a section of examples
- a commit whose message is not in the command
- a commit of a sub-agent that the run started
Low when:
- always: the commits were made, only in a different form
Why it is bad: Claude Code uses its own template for commits, and tools or people that rely on the rule fail to find what they expect.
Instead: Write the rule where the commit is made, and say that it replaces the usual form; or set `includeCoAuthoredBy` in the settings.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.commit_rules import find_lines_with_broken_rules
from actions.patterns.pattern import LOADED_KINDS, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, bash, load

PATTERN = Pattern("SES-015", ("easy",), asks_model=False, kinds=LOADED_KINDS, from_sessions=True)
_TEXT = "Commit with:\n\n```\nMoor a boat\n\nCo-Authored-By: Claude <noreply@host.example>\n```\n"
_NEVER = (
    "Commit each boat.\n\n- Never add a `Co-Authored-By` line for Claude.\n- The subject has at most 30 characters.\n"
)
_OTHER = bash('git commit -m "Moor 3" -m "Co-Authored-By: Claude Opus <noreply@host.example>"', "[main 1a2b3c4] Moor 3")
_PLAIN = bash("git commit -m 'Moor 3'", "[main 1a2b3c4] Moor 3")
_LONG = bash("git commit -m 'Moor the third boat at the longer quay'", "[main 1a2b3c4] Moor the third boat")
_SAME = bash('git commit -m "Moor 3" -m "Co-Authored-By: Claude <noreply@host.example>"', "[main 1a2b3c4] Moor 3")
BAD = (
    Recorded(_TEXT, ((load(), _OTHER), (load(), _OTHER))),
    Recorded(_NEVER, ((load(), _OTHER), (load(), _OTHER))),
    Recorded(_NEVER, ((load(), _LONG), (load(), _LONG), (load(), _PLAIN))),
)
GOOD = (
    Recorded(_TEXT, ((load(), _SAME), (load(), _PLAIN))),
    Recorded(_NEVER, ((load(), _PLAIN), (load(), _PLAIN))),
    Recorded(_NEVER, ((load(), _LONG), (load(), _OTHER), (load(), _PLAIN))),
    Recorded("Commit. If it is long, use a subject of at most 30 characters.\n", ((load(), _LONG), (load(), _LONG))),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the rules that commits of two or more sessions break."""
    for line, commits in find_lines_with_broken_rules(case):
        if len({use.session for use, _ in commits}) > 1:
            message = f"Commits of {len(commits)} runs do not follow this rule for their messages."
            occurrences = tuple(Occurrence(use.session, quote) for use, quote in commits)
            yield Finding(case.skill.main_path, line, message, severity=Severity.LOW, occurrences=occurrences)
