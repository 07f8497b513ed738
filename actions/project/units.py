"""Name the parts of a project that Claude Code loads: skills, agents, commands, hooks, manifests, servers, memory."""

from dataclasses import dataclass

from schemas.vocabulary import UnitKind

__all__ = ["Unit", "UnitKind"]


@dataclass(frozen=True)
class Unit:
    """One unit: its kind, its file (relative to the project), its name in Claude Code, and the root of its plugin.

    `plugin_root` is None for a unit outside of plugins, and "" if the repository itself is the plugin.
    """

    kind: UnitKind
    path: str
    name: str
    plugin_root: str | None = None

    @property
    def folder(self) -> str:
        """The folder of the unit's file; "" at the top."""
        return self.path.rpartition("/")[0]

    @property
    def is_loaded(self) -> bool:
        """Whether Claude Code loads it from a plugin or a `.claude` folder."""
        return self.plugin_root is not None or self.path.startswith(".claude/") or "/.claude/" in self.path

    @property
    def key(self) -> tuple[str, ...]:
        """The kind of the unit, its scope and its name, which identify it. The scope is the root of its plugin, its
        `.claude` folder, or its own folder where Claude Code does not look.
        """
        if self.plugin_root is not None:
            return self.kind, self.plugin_root, self.name
        scope = self.path.rpartition(".claude/")[0] + ".claude" if self.is_loaded else self.folder
        return self.kind, scope, self.name
