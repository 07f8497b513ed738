"""Define the families of patterns."""

from enum import StrEnum
from functools import cached_property


class Family(StrEnum):
    """The families of patterns.

    Each row has the value, the diagnosis that checks the family, its position in the order of fixes, and the prefixes
    of its pattern ids. Fixes for data flow, agents, context and memory come first, because the others depend on them.
    """

    CONTEXT = "context_explosion", "context", 3, "CTX"
    MEMORY = "memory_loss", "memory", 4, "MEM"
    DATAFLOW = "dataflow_break", "dataflow", 1, "DF", "SES"
    AGENT = "agent_failure", "agent", 2, "AGT"
    TOKENS = "token_consumption", "token_consumption", 9, "TKN"
    AUTHORING = "authoring_violation", "dataflow", 6, "APV"
    REDUNDANCY = "doc_redundancy", "docs", 8, "DOC-RED"
    CONFLICT = "doc_conflict", "docs", 7, "DOC-CON"
    SPEC = "spec_violation", "docs", 5, "SPEC", "PRJ"
    CUSTOM = "custom", "dataflow", 10

    focus: str
    fix_order: int
    codes: tuple[str, ...]

    def __new__(cls, value: str, focus: str, fix_order: int, *codes: str) -> "Family":
        """Build a member from its row."""
        member = str.__new__(cls, value)
        member._value_, member.focus, member.fix_order, member.codes = value, focus, fix_order, codes
        return member

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that select the family in settings: its own name and its diagnosis, in upper case."""
        return frozenset({self.upper(), self.focus.upper()})
