"""SKILL.md contains text that only one branch needs.

It is:
- a section of 800 tokens or more in SKILL.md that only some uses of the skill reach: one mode, one platform, one file type
- templates, catalogues, long examples or troubleshooting of 800 tokens or more that are looked up now and then
It is not:
- what nearly every use of the skill needs, however long it is
- a SKILL.md of fewer than 2,500 tokens in total
- one of several sections that depend on each other so closely that each needs the others
Why it is bad: Every use pays for the section, even a use that ends before it or takes another branch.
Instead: Move the section into a file of its own, and leave one line that says when to read it.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="TKN-007", impact=("every_run",), strategies=("split_to_references",))
BAD = """Ask which platform it is for, then follow that section alone.

## Kubernetes

(1,400 tokens of manifests and commands, and two more sections like it)
"""
GOOD = """Ask which platform it is for, then read the one file:

- Kubernetes: `references/kubernetes.md`
- Fly.io: `references/fly.md`
"""
