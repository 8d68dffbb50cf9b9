"""Proofs about the building blocks: ``python -m formal`` runs every property under :mod:`formal.properties`.

A unit adds a property by a module there with a list ``PROPERTIES`` of :class:`formal.prover.Property`.
"""
