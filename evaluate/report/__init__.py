"""Pages that people read: one self-contained file, without anything from elsewhere."""
