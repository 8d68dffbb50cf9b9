"""Networks of brokers seen from outside: their description, their map, and the entity that writes their routing tables."""
