"""Embedding services over HTTP as encoders."""
