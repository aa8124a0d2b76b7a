"""From the source files of a benchmark to a collection; one module per format family."""
