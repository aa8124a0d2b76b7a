"""Any retrieval benchmark in, BEIR files out; any retriever over them; scores that can be defended."""

__version__ = "0.1.0"
