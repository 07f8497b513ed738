"""Make changes to a small skill, and list the reasons why they are refused."""

from actions.fixes.invariants.change import Change
from actions.fixes.invariants.losses import list_removals
from actions.fixes.invariants.prove import Promise, prove
from actions.scoring.scan import scan
from tests.fakes import SKILL_HEADER, make_case

FIXABLE = "One tall grey FIXABLE rests on the shore in the early morning and waits for small fish."
RULE = "Never count a bird twice on one day."
BODY = f"{RULE}\n\n{FIXABLE} Read [the list](references/list.md) first.\n"
LIST = "# List\n\nWrite each name of a bird on a line of its own.\n"


def reasons(before, changes, claimed=("AGT-001",), drops=(), rewrites=(), announced=False, **promise):
    """Return why a change is refused.

    The change declares the sentence FIXABLE as reworded and, if `announced`, every statement that it removes for good.
    """
    seen = scan(before)
    claims = frozenset(f.fingerprint for f in seen.findings if f.pattern.id in claimed)
    files = {path: None if text is None else text.encode() for path, text in changes.items()}
    after = before.with_skill(before.skill.with_files(files))
    gone = list_removals(Change(before.skill, after.skill), drops, promise.get("ranges", ())) if announced else ()
    promised = Promise(claims, drops, rewrites=(FIXABLE, *rewrites), takes_out=gone, **promise)
    return prove(before, after, seen, promised).reasons


def main(old, new):
    return {"SKILL.md": (SKILL_HEADER + BODY).replace(old, new)}


def before_with_script():
    case = make_case(BODY, references__list=LIST)
    return case.with_skill(case.skill.with_files({"scripts/count.py": b"print(len(birds))\n"}))
