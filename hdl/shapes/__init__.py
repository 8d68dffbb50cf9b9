"""Shapes of what goes between units, a file for each subject: payloads of streams, and signatures."""
