"""A whole RAG pipeline over the Python language reference, evaluated as it runs: no key, no network."""
