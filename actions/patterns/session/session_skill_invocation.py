"""A skill was called and could not be loaded.

What it sees: a call of the Skill tool that failed and was not repeated with success, or a skill that the user named
and that was not loaded.
Why it is bad: the work goes on without the skill's rules.
Instead: load it under its full name (plugin:skill), or tell the user that it is missing.
May be wrong: the agent read the skill's file instead.
"""

import re

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import agent, use, user

_WANTED = re.compile(
    r"\b(?:use|with|via|load|invoke|run|follow)\s+(?:the\s+)?[`\"'/]?([\w:-]{3,60})[`\"']?\s+skill\b", re.I
)
_ANY = frozenset(
    "the this that your any right appropriate relevant same new existing agent claude above following".split()
)

BAD = (
    (user("Go."), use("Skill", "Unknown skill: pdf-tools", error=True, skill="pdf-tools"), agent("I go on.")),
    (user("Use the release-notes skill."), agent("Here are the notes.")),
)
GOOD = (
    (user("Use the release-notes skill."), use("Skill", "Launching skill: release-notes", skill="release-notes")),
    (user("Use the skill."), agent("Which one?")),
)


def look(session: Session) -> Answer:
    """Find skills that did not load."""
    good: set[str] = set()
    bad: dict[str, Quote] = {}
    for call, result in session.transcript.steps:
        if call.name == "Skill" and result is not None and not result.refused:
            name = (call.get("skill") or call.get("command")).rpartition(":")[2]
            if result.error:
                bad[name] = Quote(result.record, result.text.split("\n")[0], call.agent)
            else:
                good.add(name)
    lost = [quote for name, quote in bad.items() if name not in good]
    if lost:
        return found("a skill could not be loaded", *lost[:3])
    for prompt in session.transcript.prompts:
        named = _WANTED.search(prompt.text[:2000]) if "skill" in prompt.text[:2000] else None
        if named and not _is_loaded(session, named[1]):
            return found(f"the user named the skill {named[1]}, and it was not loaded", Quote(prompt.record, named[0]))
    return clean("every skill that was called was loaded" if good else "no skill was called for")


def _is_loaded(session: Session, name: str) -> bool:
    """Whether a skill was used or its file read; words such as "this skill" name none."""
    used = " ".join(session.transcript.skills)
    if name.lower() in _ANY or name.rpartition(":")[2] in used:
        return True
    return any(name in call.get("file_path") for call in session.transcript.calls if call.name == "Read")
