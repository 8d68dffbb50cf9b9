"""PCM on arrays: :mod:`sim.pcm` and the engine of that name."""
