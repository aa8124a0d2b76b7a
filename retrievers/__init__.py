"""What ranks documents for queries; a retriever never learns which benchmark it is tested on."""
