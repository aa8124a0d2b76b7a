"""Learned sparse retrieval: weights of terms from a model, searched in the postings engine."""
