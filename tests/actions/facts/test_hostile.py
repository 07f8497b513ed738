"""What facts read out of a skill takes time in proportion to the text, also where it is made to be slow."""

import time

import pytest

from actions.example import example_case
from actions.facts.agents.calls import agent_steps
from actions.facts.agents.forbidding import forbidden_yet_asked
from actions.facts.agents.guarding import is_guarded
from actions.facts.memory import asked
from actions.facts.memory.stranded import stranded
from actions.facts.sayings import sayings
from actions.facts.state.aliases import aliases
from actions.skill.stems import Stems

SHOWN = 'The file `d{n}.json`:\n\n```json\n{{"a_{n}": 1}}\n```\n\nRead `d{n}.json` and take `z_{n}`, `y_{n}`.\n\n'
STAGE = "## Phase {n}: stage {n}\n\nNever skip the wibble{n}. Write the letter{n}.\n\n"
CALL = "x{n} = JSON.parse(Task({{subagent_type: 'a', prompt: 'look at file {n} and say'}}))\n"
CALLS = example_case("```js\n" + "".join(CALL.format(n=n) for n in range(300)) + "```\n").skill
LIST = example_case("The state:\n" + "- the state:\n" * 4000).skill.main
REQUEST = asked._REQUEST


@pytest.mark.parametrize(
    "read",
    [
        lambda: REQUEST.search("goals" + "_a" * 40 + ".txt"),
        lambda: forbidden_yet_asked("Never use tables." + "\n" * 20_000 + "x"),
        lambda: list(aliases(example_case("".join(SHOWN.format(n=n) for n in range(600))).skill)),
        lambda: [is_guarded(step, CALLS) for step in agent_steps(CALLS)],
        lambda: forbidden_yet_asked("Never use tables. List the items. " * 800),
        lambda: list(sayings(LIST, Stems("state"))),
        lambda: list(stranded(example_case("".join(STAGE.format(n=n) for n in range(400))).skill)),
    ],
    ids=["a file name", "blank lines", "many examples", "many calls", "many orders", "many heads", "many phases"],
)
def test_hostile_text_is_read_in_a_moment(read):
    start = time.process_time()
    read()
    assert time.process_time() - start < 1.5


def test_a_long_name_of_a_request_is_one():
    assert REQUEST.search("user-request-v2_final.md") and not REQUEST.search("goalsetting.md")
