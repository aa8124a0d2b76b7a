"""The best documents of one retriever put into a new order by a model that reads query and document."""
