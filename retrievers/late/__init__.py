"""Late interaction: a vector for each token, compared token by token (MaxSim)."""
