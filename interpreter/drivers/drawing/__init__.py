"""Drawing a position in letters: who sees what, how it is called and marked, and its parts from small to large."""
