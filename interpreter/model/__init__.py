"""The checked game: declarations, resolved names, typed trees, topology. It knows nothing of machines."""
