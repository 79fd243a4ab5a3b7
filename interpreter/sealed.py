"""Files of the cache, each with a seal over its name and content.

In: a place, and bytes to keep there. Out: the bytes again, or None if the file is not there, damaged, cut off, or was kept for another
place: what lies in a cache can be made again, so it is as good as none. A folder that cannot be written is no fault either.
"""

from __future__ import annotations

import os
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import Final

SEAL: Final = 32
"""Bytes of the seal, in front of the content."""
MOST: Final = 256 << 20
"""Bytes that a folder may hold before what was kept longest ago goes, until half of that is left."""


def read(place: Path) -> bytes | None:
    """What was kept at a place."""
    try:
        stored = place.read_bytes() if place.is_file() else b""
    except OSError:
        return None
    content = stored[SEAL:]
    return content if stored[:SEAL] == _seal(place, content) else None


def write(place: Path, content: bytes) -> None:
    """Keep bytes at a place. Who reads there meanwhile finds the old file or the new one, whole."""
    rough: Path | None = None
    seal = _seal(place, content)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=place.name)
        rough = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(seal + content)
        rough.replace(place)
        if seal[0] % 16 == 0:  # looking through a full folder takes longer than writing a file
            prune(place.parent, MOST)
    except OSError:
        if rough is not None:
            rough.unlink(missing_ok=True)


def prune(folder: Path, most: int) -> None:
    """Remove the oldest files of a folder that holds more than so many bytes. Somebody else may do the same at the same time."""
    found: list[tuple[float, int, Path]] = []
    for entry in os.scandir(folder):
        try:
            if entry.is_file(follow_symlinks=False):
                stat = entry.stat(follow_symlinks=False)
                found.append((stat.st_mtime, stat.st_size, Path(entry.path)))
        except OSError:
            continue
    held = sum(size for _, size, _ in found)
    if held <= most:
        return
    for _, size, place in sorted(found):
        place.unlink(missing_ok=True)
        held -= size
        if held <= most // 2:
            return


def _seal(place: Path, content: bytes) -> bytes:
    return blake2b(place.name.encode() + b"\0" + content, digest_size=SEAL).digest()
