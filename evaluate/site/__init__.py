"""A leaderboard as a static site: an index over many results, one page per system, and the data."""
