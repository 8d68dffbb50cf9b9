"""From gateware to boards: building, measuring and talking to them."""
