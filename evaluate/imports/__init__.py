"""Results of other tools: ranked lists, which are scored here, and figures that can only be shown."""
