"""The leaderboard over submitted results: what was submitted, by which system, on which board."""
