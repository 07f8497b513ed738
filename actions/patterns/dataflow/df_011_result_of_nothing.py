"""The result of a function that returns nothing is used.

It is:
- a call whose result is assigned to a variable and used, although no path through the function returns a value (proven)
It is not:
- a call that is made only for its effect
- a function that delivers its result in another way: in an argument that it fills, a file, a field
- a body that is shortened for the reader ("…")
Why it is bad: The variable holds nothing: the next step fails on it, or continues with an empty value.
Instead: Return the value at the end of the function, or read the value from where the function puts it.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.code.functions import find_used_empty_results
from actions.patterns.pattern import Finding, Pattern

PATTERN = Pattern(id="DF-011", impact=("blocks", "easy"))
BAD = (
    """```python
def count_words(path):
    print(len(path.read_text().split()))

total = count_words(chapter)
shorten(chapter, total - limit)
```""",
    {
        "scripts/rates.js": """async function loadRates(day) {
  rates.push(await fetch(`${base}/${day}`))
}
const today = await loadRates(process.argv[2])
console.log(today.eur)
"""
    },
)
GOOD = (
    """```python
def shorten(path):
    path.write_text(path.read_text()[:limit])

shorten(chapter)
```""",
    """```js
function countWords(path) {
  __COUNT_WORDS__
}
const total = countWords(chapter)
report(total)
```""",
    """```python
def count_words(path):
    words = path.read_text().split()
    ...

total = count_words(chapter)
report(total)
```""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find uses of the result of a function that returns nothing, within one script or block of code."""
    for file in case.skill.sources:
        for code in file.codes:
            for function, call in find_used_empty_results(code, is_excerpt=file.is_markdown):
                callee = f"`{function.name}()` ({file.path}:{function.line})"
                message = f"{callee} returns nothing, but its result is assigned to `{call.assigned}` and used."
                yield Finding(file.path, call.line, message, call.line_end)
