"""Define units, the parts of a project that Claude Code loads: skills, agents, commands, hooks, servers, memory ..."""

import msgspec

from schemas.vocabulary import UnitKind

__all__ = ["Unit", "UnitKind"]


class Unit(msgspec.Struct, frozen=True):
    """One unit: its kind, its file (relative to the project), its name in Claude Code, and the root of its plugin.

    `plugin_root` is None for a unit outside plugins, and "" if the repository itself is the plugin. `link` is the link
    through which Claude Code loads the file, or "".
    """

    kind: UnitKind
    path: str
    name: str
    plugin_root: str | None = None
    link: str = ""

    @property
    def loading_path(self) -> str:
        """The path from which Claude Code loads the unit: its link, or its file."""
        return self.link or self.path

    @property
    def folder(self) -> str:
        """The folder of the unit's file, or "" at the project's root."""
        return self.path.rpartition("/")[0]

    @property
    def is_loaded(self) -> bool:
        """Whether the unit is in a plugin or a `.claude` folder, where Claude Code loads it."""
        return self.plugin_root is not None or "/.claude/" in f"/{self.loading_path}"

    @property
    def key(self) -> tuple[str, ...]:
        """The kind, scope and name of the unit, which identify it.

        The scope is the root of the plugin, the `.claude` folder, or the unit's folder if Claude Code does not load it.
        """
        if self.plugin_root is not None:
            return self.kind, self.plugin_root, self.name
        scope = self.loading_path.rpartition(".claude/")[0] + ".claude" if self.is_loaded else self.folder
        return self.kind, scope, self.name
