"""From text to terms: the steps of every analyzer, and which of them each language takes."""
