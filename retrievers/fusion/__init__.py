"""Several ranked lists of a query made into one."""
