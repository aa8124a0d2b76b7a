"""Facts about datasets, retrievers and suites, never code; and the shapes those files have."""
