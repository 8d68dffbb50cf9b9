"""The host link: frames in segments over a line of bytes."""
