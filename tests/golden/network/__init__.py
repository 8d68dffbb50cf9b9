"""The network model held against literals and against a judge that knows nothing of it."""
