"""The state contains debug, cache or scratch fields.

It is:
- a field of the state that holds debug output, a cache or a temporary value, and that no phase needs
It is not:
- a field that a phase or a script reads, whatever its name
- a log or a cache in its own file
Why it is bad: Each phase that reads the state also reads these fields, although none uses them.
Instead: Leave such values out of the state; write them to a log if they are needed.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="APV-005", impact=("every_run", "easy"), strategies=("minimize_state",))
BAD = """`state.json`, read by every phase:

```json
{"language": "", "chapters_done": [], "debug_info": {}, "raw_response_cache": ""}
```"""
GOOD = """`state.json`, read by every phase:

```json
{"language": "", "chapters_done": [], "glossary_cache": {}}
```

Look each term up in `glossary_cache` before you ask.
"""
