"""Stubs were left in the code.

What it sees: lines added to code that say or show that something is missing: TODO, FIXME, "not implemented",
"placeholder", functions that only pass. What a later edit took away again is not counted.
Why it is bad: the code claims to do what it does not.
Instead: implement it, or leave it out and say so.
May be wrong: an operation is deliberately empty, or "todo" is what the product is about.
"""

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import agent, bash, edit, user, write
from actions.session.stubs import stubs_left

_SHOWN = 5

BAD = (
    (user("Add a cache."), edit("cache.py", "def get(key):\n    # TODO: look into the second level\n    return None")),
    (
        user("Add a client."),
        write("src/client.ts", "export function send() {\n  throw new Error('Not implemented');\n}"),
    ),
    (user("Add a parser."), write("p.rs", "fn parse() -> Tree {\n    todo!()\n}\n")),
    (user("Add it."), write("a.py", "def load(path: str) -> None:\n    pass\n"), agent("Done.")),
)
GOOD = (
    (
        user("Add a cache."),
        edit("cache.py", "# TODO: second level\nreturn None"),
        edit("cache.py", "return second.get(key)", "# TODO: second level\nreturn None"),
    ),
    (user("A todo app."), write("app.ts", "// Todo items of a list\nexport class TodoList { todos: Todo[] = []; }")),
    (
        user("Port it."),
        write("lock_win.go", "// lock does nothing here: not implemented for this platform\nfunc lock() {}"),
    ),
    (
        user("A base."),
        write("b.py", "class Base(ABC):\n    @abstractmethod\n    def go(self):\n        raise NotImplementedError\n"),
    ),
    (user("Note it."), edit("docs/plan.md", "TODO: describe the cache")),
    (user("Test it."), write("tests/test_a.py", "def fake(): pass\nTEXT = 'TODO: x'")),
    (user("Try."), write("x.py", "# FIXME: wrong\n"), bash("rm x.py")),
)


def look(session: Session) -> Answer:
    """Find stubs that the session added and left."""
    stubs = stubs_left(session.edits, session.commands)
    if not stubs:
        return clean("no stub was left in code" if session.code_edits else "no code was changed")
    places = "; ".join(f"{stub.path.rpartition('/')[2]}: {stub.line.strip()}" for stub in stubs[:_SHOWN])
    quotes = [Quote(stub.record, stub.line, stub.agent) for stub in stubs[:_SHOWN]]
    return found(f"stubs were left: {places}", *quotes)
