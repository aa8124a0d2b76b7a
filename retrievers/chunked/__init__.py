"""Long documents: their passages are retrieved, and the documents are scored by them."""
