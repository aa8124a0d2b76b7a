"""Published forms of datasets, brought from their publishers' servers: whole and verified, or not at all."""
