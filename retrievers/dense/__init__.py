"""Encoders and exact vector search."""
