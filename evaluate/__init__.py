"""Runs and judgments to scores: measures, protocols, comparison."""
