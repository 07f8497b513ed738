"""Look up files of a project for a model: read-only, bounded, logged, without secrets or links.

A lookup names files, folders and globs. It may also give a text to find in them. The answer has the numbered lines. For
each path that is not shown, it has the reason.
"""

from collections.abc import Iterable
from itertools import islice

import msgspec

from actions.project.allowance import MIN_LOOKUP_BYTES, UNLIMITED, Allowance, measure
from actions.project.lookup_answer import LookupAnswer
from actions.project.lookup_log import MAX_FILES, Lookup, LookupLog
from actions.project.lookup_paths import Target, expand_path, hash_file, is_glob
from actions.project.project import Project
from templates.filters import counted

_MAX_PATHS, _MAX_GLOBS = 60, 4
"""Maximum number of paths and of globs in a lookup that shows files. A search takes any number of paths."""
_CALL_BYTES = 400
"""Number of bytes that a call takes in a request, besides its paths and its result."""
_RESERVED_SHARE = 6
"""A batch with files keeps 1/_RESERVED_SHARE of its bytes free for searches that are requested at the same time."""
_USED_UP = "Nothing is left for look-ups of this question. Answer now, from what you have seen."
_BATCH_FULL = "nothing shown: the other look-ups that you requested at once left no room\n"


class Library(msgspec.Struct, frozen=True):
    """The files of a project that a model may look up. Paths may also be relative to the unit's `folder`.

    `size` is the number of bytes of the unit's text. It determines how much may be looked up.
    """

    project: Project
    folder: str = ""
    size: int = 0

    def look_up(self, lookup: Lookup, log: LookupLog, allowance: Allowance = UNLIMITED) -> tuple[str, LookupLog]:
        """Return the answer to a lookup, and the log with the texts that the answer sends."""
        text, log = self._answer(lookup, log, allowance)
        return text, log.add_answer(lookup, text)

    def gives_again(self, log: LookupLog, allowance: Allowance) -> bool:
        """Return whether the lookups of a log would be answered with the same texts, from files with the same bytes."""
        if any(hash_file(self.project, path) != known for path, known in log.hashes.items()):
            return False
        again = LookupLog()
        for answered in log.answered:
            _, again = self.look_up(answered.lookup, again, allowance)
        return again.answered == log.answered

    def _answer(self, lookup: Lookup, log: LookupLog, allowance: Allowance) -> tuple[str, LookupLog]:
        call = _CALL_BYTES + measure(lookup.paths) + measure(lookup.pattern)
        room = log.get_room(allowance, lookup.batch) - call
        if room < MIN_LOOKUP_BYTES // 2:
            log = log.add_to_batch(lookup.batch, call)
            return f"{_BATCH_FULL if log.has_room(allowance) else ''}{_describe_remaining_room(log, allowance)}", log
        answer = LookupAnswer(self.project, log, room if lookup.pattern else room - room // _RESERVED_SHARE)
        if lookup.pattern:
            answer.search(lookup.pattern, self._list_search_paths(lookup.paths), self.folder)
        else:
            answer.show(*self._find_targets(lookup.paths))
        shown = "\n".join(answer.parts)
        log = answer.log.add_to_batch(lookup.batch, measure(shown) + call)
        return f"{shown}\n{_describe_remaining_room(log, allowance)}", log

    def _find_targets(self, paths: Iterable[str]) -> tuple[list[Target], str]:
        """Return the targets of paths, without duplicates, and a clause about the targets beyond the limit, or ""."""
        unique_targets: dict[Target, None] = {}
        unique_paths = dict.fromkeys(paths)
        globs = [path for path in unique_paths if is_glob(path)][_MAX_GLOBS:]
        for path in unique_paths:
            if path not in globs and len(unique_targets) < _MAX_PATHS:
                unique_targets |= dict.fromkeys(islice(expand_path(self.project, path, self.folder), _MAX_PATHS + 1))
        targets = [*unique_targets]
        left_out = len(targets[_MAX_PATHS:]) + len(globs) + max(0, len(unique_paths) - _MAX_PATHS)
        limits = f"{_MAX_PATHS} paths and {_MAX_GLOBS} globs"
        more = f"{left_out} or more paths not shown; ask for at most {limits} at once" if left_out else ""
        return targets[:_MAX_PATHS], more

    def _list_search_paths(self, paths: Iterable[str]) -> set[str]:
        """Return the files and folders to search, with all files that a glob matches."""
        unique_paths = list(dict.fromkeys(paths))[:_MAX_PATHS]
        return {target.path for path in unique_paths for target in expand_path(self.project, path, self.folder)}

    def find_path(self, path: str) -> str:
        """Return the path, relative to the root, for a path as a model names it. Line numbers are removed."""
        return next(expand_path(self.project, path, self.folder)).path


def _describe_remaining_room(log: LookupLog, allowance: Allowance) -> str:
    """Return a sentence about what further lookups for the same question may show."""
    if not log.has_room(allowance):
        return _USED_UP
    room, files = log.get_room(allowance) // 1000, counted(MAX_FILES - len(log.hashes), "more file")
    return f"left for the calls that you make together next: about {room} KB, {files}"
