"""What a change takes away: each statement stands where it stood, token for token, or the fix has named it."""

from collections.abc import Iterator, Sequence

from actions.proof.change import Change, Hunk
from actions.proof.statements import FRONTMATTER, HEADING, PROSE


def losses(change: Change, drops: Sequence[str] = (), rewrites: Sequence[str] = ()) -> Iterator[str]:
    """Return each statement that is gone from its place: `drops` may go, in place of `rewrites` something must stand.

    A text that names a statement does so once in each file.
    """
    names = {file.path: (_Named(drops), _Named(rewrites)) for file in change.touched}
    gone = [(statement, hunk) for hunk in change.hunks for statement in hunk.gone]
    for statement, hunk in sorted(gone, key=lambda pair: -len(pair[0].text)):
        dropped, rewritten = names[statement.file]
        if not dropped.take(statement.text) and not (hunk.new and rewritten.take(statement.text)):
            yield f"{statement.file}: this is lost: {statement.text.strip()[:120]}"


def added(change: Change) -> Iterator[str]:
    """Return what is said beyond the places of what is gone: a fix that nobody reads says nothing more."""
    for hunk in change.hunks:
        for statement in hunk.new[len(hunk.gone) :]:
            if statement.kind != FRONTMATTER:
                yield f"{statement.file}: this is said more: {statement.text.strip()[:120]}"


def framed(change: Change) -> Iterator[str]:
    """Return what stands, and before which a new heading or a new lead-in came: it may say another thing there."""
    for hunk in change.hunks:
        if hunk.new and hunk.following and hunk.following.kind != HEADING and _opens(hunk):
            yield f"{hunk.following.file}: a new line stands over this: {hunk.following.text.strip()[:120]}"


def _opens(hunk: Hunk) -> bool:
    """Return whether more headings came than went, the last with nothing under it yet, or a line with a colon came."""
    headings = [sum(s.kind == HEADING for s in said) for said in (hunk.new, hunk.gone)]
    leads = [bool(said) and said[-1].kind == PROSE and _leads(said[-1].text) for said in (hunk.new, hunk.gone)]
    return headings[0] > headings[1] or (leads[0] and not leads[1])


def _leads(text: str) -> bool:
    return text.rstrip("*_` ").endswith((":", "："))


class _Named:
    """Texts that a fix names; each part of them stands for one statement."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._left = "\n".join(" ".join(text.split()) for text in texts)

    def take(self, text: str) -> bool:
        """Return whether a statement is named, and name it no more."""
        text, at = " ".join(text.split()), -1
        while (at := self._left.find(text, at + 1)) >= 0:
            around = self._left[at - 1 : at] + self._left[at + len(text) : at + len(text) + 1]
            if not any(map(str.isalnum, around)):
                self._left = f"{self._left[:at]}\0{self._left[at + len(text) :]}"
                return True
        return False
