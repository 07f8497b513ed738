"""Build the answer to a lookup within the remaining bytes: numbered lines, names, hits of a search."""

from collections.abc import Collection, Iterator
from itertools import islice

from msgspec.structs import replace

from actions.project.allowance import MIN_LOOKUP_BYTES, measure
from actions.project.lookup_log import LookupLog, RefusedPath, SentText
from actions.project.lookup_paths import Target, find_refusal, hash_file, measure_distance, read_text
from actions.project.project import Project
from actions.regex import regex
from actions.secrets import WITHHELD, is_secret_path, withhold_secrets
from templates.filters import counted, visible

_MAX_NAMES, _MAX_LINE, _MAX_LONE_LINE, _MAX_FILE_PART = 200, 1_000, 20_000, 60_000
"""Maximum numbers: file names in an answer, characters of a line, of a line requested alone, and bytes of a file."""
_MAX_HITS, _MAX_HITS_PER_FILE, _MAX_FILES_SHOWN, _MAX_AROUND_HIT = 60, 5, 10, 120
"""Maximum numbers: hits of a search, hits in one of several files, files shown, and characters around a hit."""
_MAX_SEARCHES, _MAX_SEARCHED, _MAX_TOTAL_SEARCHED = 40, 50_000_000, 300_000_000
"""Maximum numbers of searches for one question, bytes that one search reads, and bytes that all searches read."""
_MAX_SCREENED = 20_000_000
"""Maximum number of bytes in which to look for secrets, per question. 1 MB takes up to a second."""
_MAX_REFUSED, _MAX_NAMED, _MAX_HEADINGS = 100, 20, 12
"""Maximum numbers of refused paths in the log, and of paths and headings that an answer names without their text."""
_LAST_LINES_BYTES, _FRAME_BYTES, _REST_BYTES = 700, 80, 700
"""Numbers of bytes for the last lines of an answer, for the text around a path, and for the headings not shown."""
_LIMIT_REACHED = "the limit of this question is reached"
_HEADING = regex(
    r"#{1,4} \S|(?:(?:export|default|async|public|static) )*(?:def|class|function|func|fn) \w|[\w-]+ ?\(\) ?\{"
)


class LookupAnswer:
    """The parts of an answer, and the log of the texts in them. `room` is the number of bytes left."""

    def __init__(self, project: Project, log: LookupLog, room: int) -> None:
        self._project, self.log, self.room = project, log, room - _LAST_LINES_BYTES
        self.parts: list[str] = []
        self._names, self._not_shown = _MAX_NAMES, 0
        self._too_large: list[str] = []

    def add(self, *lines: str) -> None:
        """Add lines, even if they exceed the room."""
        self.parts += lines
        self.room -= sum(map(measure, lines))

    def show(self, targets: list[Target], more: str = "") -> None:
        """Add the lines of files with their numbers, and the names in folders. For any other target, add the reason.

        If not all files fit, small files are shown whole, and the large files share the rest. If that is too little for
        all of them, only the first ones are shown. `more` is added at the end.
        """
        shown: dict[Target, list[str]] = {}
        refused = {target: reason for target in targets if (reason := find_refusal(self._project, target.path))}
        files = [target for target in targets if target not in refused]
        for number, target in enumerate((*refused, *sorted(files, key=self._estimate))):
            share = max(self.room // (len(targets) - number), min(self.room, MIN_LOOKUP_BYTES))
            why = refused.get(target)
            shown[target] = self._refuse(target.path, why, share) if why else self._show_target(target, share)
            self.room -= sum(map(measure, shown[target]))
        self.parts += [line for target in targets for line in shown[target]]
        positions = {target.path: number for number, target in enumerate(targets)}
        self.log = replace(self.log, sent=tuple(sorted(self.log.sent, key=lambda text: positions.get(text.path, -1))))
        if self._too_large:
            self.add(
                _format(f"not shown, too large for what is left: {_join_first(self._too_large)}; ask for some lines")
            )
        if self._not_shown:
            self.add(f"{counted(self._not_shown, 'more file')} not shown: {_LIMIT_REACHED}")
        if more:
            self.add(more)

    def _estimate(self, target: Target) -> int:
        """Return the approximate number of bytes that a target takes."""
        size = self._project.files[target.path].size if target.path in self._project.files else 0
        return size if target.last is None else min(size, 80 * (target.last - target.first + 1))

    def _show_target(self, target: Target, share: int) -> list[str]:
        path = target.path
        if path in self._project.folders:
            return self._show_folder(path, share)
        if not self.log.may_show(path) or not self._may_screen(path):
            self._not_shown += 1
            return []
        lines = list(withhold_secrets(iter((read_text(self._project, path) or "").splitlines())))
        limit = min(_MAX_FILE_PART, share - measure(path) - _FRAME_BYTES, self.log.bytes_left)
        numbered = list(_number_lines(lines, target, limit))
        is_cut = target.first + len(numbered) <= min(len(lines), target.last or len(lines))
        if is_cut:
            numbered = (
                list(_number_lines(lines, target, limit - _REST_BYTES))
                if limit > 2 * _FRAME_BYTES + _REST_BYTES
                else []
            )
        if is_cut and not numbered:
            self._too_large.append(f"{path} ({self._project.files[path].size / 1000:.0f} KB)")
            return []
        end = target.first + len(numbered) - 1
        self._log_sent(path, numbered)
        more = f"; the rest: `{path}:{end + 1}-`" if end < len(lines) else ""
        rest = "; ".join(_list_headings(lines, end)) if is_cut else ""
        heading = f"=== {path}, lines {target.first} to {end} of {len(lines)}{more}"
        return [_format(heading), *numbered, *([_format(f"--- in the rest: {rest}")] if rest else [])]

    def search(self, pattern: str, inside: Collection[str], folder: str) -> None:
        """Add the lines that contain a text, ignoring case, in the given files and folders, or in all files.

        The files nearest to `folder` come first.
        """
        if self.log.searches >= _MAX_SEARCHES:
            self.add(f"not searched: {_LIMIT_REACHED}")
            return
        self.log = replace(self.log, searches=self.log.searches + 1)
        wanted, files, hits, searched = pattern.casefold(), list[str](), 0, 0
        paths = sorted(self._list_files_inside(inside), key=lambda path: measure_distance(path, folder))
        per_file = _MAX_HITS if len(paths) == 1 else _MAX_HITS_PER_FILE
        for path in self._list_searchable(paths):
            searched += 1
            lines = self._find_lines(path, wanted)
            if not lines:
                continue
            files.append(path)
            if len(files) <= _MAX_FILES_SHOWN and hits < _MAX_HITS and self.log.may_show(path):
                hits += self._show_hits(path, lines, wanted, per_file)
        rest = files[_MAX_FILES_SHOWN:]
        also = f", also in {_join_first(rest, 60)}" if rest else ""
        self.add(_format(f"found in {len(files)} of {counted(searched, 'searched file')}{also}"))

    def _show_hits(self, path: str, lines: list[tuple[int, str]], wanted: str, limit: int) -> int:
        """Add the first hits of a file if they fit, and return their number."""
        hits = [f"{number}| {_cut_around(line, wanted)}" for number, line in lines[:limit]]
        first = f", the first {limit}" if len(lines) > limit else ""
        part = [_format(f"=== {path}, {counted(len(lines), 'line')} with it{first}"), *hits]
        if sum(map(measure, part)) > self.room or sum(map(_count_bytes, hits)) > self.log.bytes_left:
            return 0
        self.add(*part)
        self._log_sent(path, hits)
        return len(hits)

    def _list_files_inside(self, inside: Collection[str]) -> Iterator[str]:
        folders = tuple(f"{folder}/" for folder in inside if folder in self._project.folders)
        for path in self._project.files:
            if not inside or "" in inside or path in inside or path.startswith(folders):
                yield path

    def _list_searchable(self, paths: list[str]) -> Iterator[str]:
        """Yield the files to search that may be shown, up to a limit of bytes. Add a line about the files beyond it."""
        bytes_left = min(_MAX_SEARCHED, _MAX_TOTAL_SEARCHED - self.log.searched)
        for number, path in enumerate(paths):
            size = self._project.files[path].size
            bytes_left -= size
            is_beyond = self.log.screened + size > _MAX_SCREENED  # even without a hit: that could reveal a secret
            if bytes_left < 0 or is_beyond:
                reason = (
                    _LIMIT_REACHED
                    if is_beyond
                    else f"{_MAX_SEARCHED // 1_000_000} MB is the limit of one search; name fewer folders"
                )
                self.add(_format(f"{counted(len(paths) - number, 'file')} not searched, {path} first: {reason}"))
                return
            self.log = replace(self.log, searched=self.log.searched + size)
            if not find_refusal(self._project, path):
                yield path

    def _find_lines(self, path: str, wanted: str) -> list[tuple[int, str]]:
        """Return the lines of a file that contain a text, except withheld ones."""
        text = read_text(self._project, path) or ""
        if wanted not in text.casefold() or not self._may_screen(path):
            return []
        lines = enumerate(withhold_secrets(iter(text.splitlines())), 1)
        return [(number, line) for number, line in lines if wanted in line.casefold() and line != WITHHELD]

    def _may_screen(self, path: str) -> bool:
        """Return whether a file may be searched for secrets, which each shown file must be. If so, count its bytes."""
        screened = self.log.screened + self._project.files[path].size
        if screened <= _MAX_SCREENED:
            self.log = replace(self.log, screened=screened)
        return screened <= _MAX_SCREENED

    def _show_folder(self, folder: str, share: int) -> list[str]:
        below = [path for path in self._project.list_below(folder) if not is_secret_path(path)]
        names: list[str] = []
        for path in below[: self._names]:
            name = _format(f"{path} ({self._project.files[path].size / 1000:.1f} KB)")
            share -= measure(name)
            if share < _FRAME_BYTES:
                break
            names.append(name)
        self._names -= len(names)
        more = f", the first {len(names)}" if len(below) > len(names) else ""
        return [_format(f"=== {folder or '.'}/, {counted(len(below), 'file')}{more}"), *names]

    def _refuse(self, path: str, reason: str, share: int) -> list[str]:
        name = visible(path[:300]).replace("\n", "\\n")
        line = _format(f"=== {name}: not shown: {reason}")
        if len(self.log.refused) < _MAX_REFUSED:
            self.log = replace(self.log, refused=(*self.log.refused, RefusedPath(name, reason)))
        if measure(line) > share:
            self._not_shown += 1
            return []
        return [line]

    def _log_sent(self, path: str, shown: list[str]) -> None:
        sent = SentText(path, hash_file(self._project, path), sum(map(_count_bytes, shown)))
        self.log = replace(self.log, sent=(*self.log.sent, sent))


def _number_lines(lines: list[str], target: Target, limit: int) -> Iterator[str]:
    """Yield the lines of a target with their numbers, as many as fit into `limit` bytes of a request."""
    max_chars = _MAX_LONE_LINE if target.first == target.last else _MAX_LINE
    for number, line in islice(enumerate(lines, 1), max(0, target.first - 1), target.last):
        more = f" […{len(line) - max_chars} more]" if len(line) > max_chars else ""
        text = f"{number}| {visible(line[:max_chars])}{more}"
        limit -= measure(text)
        if limit < 0:
            return
        yield text


def _list_headings(lines: list[str], after: int) -> Iterator[str]:
    """Yield the headings, functions and classes below a line, with their line numbers."""
    headings = ((number, line) for number, line in enumerate(lines[after:], after + 1) if _HEADING.match(line))
    for number, line in islice(headings, _MAX_HEADINGS):
        yield f"{number} {line.lstrip('# ')[:40]}"


def _cut_around(line: str, wanted: str) -> str:
    """Return a line, or the part of a long line around a text."""
    at = max(0, line.casefold().find(wanted))
    start, end = max(0, at - _MAX_AROUND_HIT), at + len(wanted) + _MAX_AROUND_HIT
    cut = visible(line[start:end])
    return f"{'…' * (start > 0)}{cut}{'…' * (end < len(line))}"


def _join_first(paths: list[str], limit: int = _MAX_NAMED) -> str:
    more = f" and {len(paths) - limit} more" if len(paths) > limit else ""
    return f"{', '.join(paths[:limit])}{more}"


def _format(line: str) -> str:
    return " ".join(visible(line).split())


def _count_bytes(line: str) -> int:
    return len(line.encode()) + 1
