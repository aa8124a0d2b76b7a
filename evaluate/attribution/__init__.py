"""Whether the quotes in a model's answer stand in the source it was given."""
