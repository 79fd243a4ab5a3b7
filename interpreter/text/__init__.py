"""Source texts, spans and diagnostics: the bottom layer, which imports nothing else of this project."""
