"""Retrieval by matching words."""
