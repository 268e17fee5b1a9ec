"""Delta tables: commit, fold, state at an epoch."""
