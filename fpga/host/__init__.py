"""The host's side: a driver of the broker over any transport of bytes."""
