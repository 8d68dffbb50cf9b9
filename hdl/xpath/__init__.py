"""The XPath processor: takes the text of subscriptions apart."""

from hdl.xpath.processor import XPathProcessor

__all__ = ["XPathProcessor"]
