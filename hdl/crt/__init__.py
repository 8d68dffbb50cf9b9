"""The content routing table: filters, the record of their visitors, and registration [T 5.3.3]."""

from hdl.crt.table import ContentRoutingTable

__all__ = ["ContentRoutingTable"]
