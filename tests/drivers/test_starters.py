"""Files to begin with are written where nothing is, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.drivers.starters import Exists, write_new


def test_a_new_file_is_written_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "b.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    with pytest.raises(Exists, match=r"b\.yaml"):
        write_new(tmp_path / "new", {"a.yaml": "a", "b.yaml": "b"})
    assert sorted(path.name for path in tmp_path.rglob("*.yaml")) == ["b.yaml"]
