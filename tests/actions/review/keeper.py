"""Consult a judge about a skill of a bird keeper."""

from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from schemas.vocabulary import FOCUS
from tests.fakes import make_case
from tests.judges import ScriptedJudge, consult, make_reading

BODY = "A tall FIXABLE wades.\n\nA grey RISKY waits.\n\nA small WREN sings.\n\nThe keeper feeds each bird at noon.\n"
QUOTE = "The keeper feeds each bird"


def consult_with_answer(answer, body=BODY, focus=tuple(FOCUS), read=(), **files):
    """Consult a judge; return the issues by pattern, the result and the judge. read: findings of earlier questions."""
    case = make_case(body, **files)
    judge = ScriptedJudge({"reading": answer})
    before = consult(make_issues(scan(case)), case, ScriptedJudge({"reading": make_reading(added=read)}))
    result = consult(before.issues, case, judge, focus)
    return {issue.pattern: issue for issue in result.issues}, result, judge


def make_large_case():
    """Return a skill of 75,000 characters in SKILL.md and four references."""
    files = {f"references/{n}.md": f"Shore {n} is wide.\n\n" + "Fill the pond.\n" * 1200 for n in "abcd"}
    return make_case("".join(f"See [{n}](references/{n}.md).\n\n" for n in "abcd") + BODY, **files)
