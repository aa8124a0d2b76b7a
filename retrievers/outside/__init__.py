"""Systems that are not ours: a run file, a search service, a search model of mteb."""
