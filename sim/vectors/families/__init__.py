"""Kinds of documents, each in a module of its own that builds trees of one vocabulary."""
