"""Make changes to a small skill, and list the reasons why they are refused."""

from actions.fixes.invariants.change import Change
from actions.fixes.invariants.losses import list_removals
from actions.fixes.invariants.prove import Promise, prove
from actions.scoring.scan import scan
from tests.fakes import SKILL_HEADER, make_case

FAULTY_SENTENCE = "One tall grey FIXABLE rests on the shore in the early morning and waits for small fish."
RULE = "Never count a bird twice on one day."
BODY = f"{RULE}\n\n{FAULTY_SENTENCE} Read [the list](references/list.md) first.\n"
LIST = "# List\n\nWrite each name of a bird on a line of its own.\n"


def list_refusals(before, changes, claimed=("AGT-001",), drops=(), rewrites=(), announced=False, **promise):
    """Return why a change is refused.

    The change declares FAULTY_SENTENCE as reworded and, if `announced`, every statement that it removes for good.
    """
    scan_before = scan(before)
    claims = frozenset(f.fingerprint for f in scan_before.findings if f.pattern.id in claimed)
    files = {path: None if text is None else text.encode() for path, text in changes.items()}
    after = before.with_skill(before.skill.with_files(files))
    removals = list_removals(Change(before.skill, after.skill), drops, promise.get("ranges", ())) if announced else ()
    promise_of_fix = Promise(claims, drops, rewrites=(FAULTY_SENTENCE, *rewrites), takes_out=removals, **promise)
    return prove(before, after, scan_before, promise_of_fix).reasons


def change_main(old, new):
    return {"SKILL.md": (SKILL_HEADER + BODY).replace(old, new)}


def make_case_with_script():
    case = make_case(BODY, references__list=LIST)
    return case.with_skill(case.skill.with_files({"scripts/count.py": b"print(len(birds))\n"}))
