"""A line that loses, damages and invents bytes."""

import random

__all__ = ["Noise"]


class Noise:
    """Passes bytes on, and with a probability ``rate`` each drops one, flips a bit of it, or puts another before it. ``events`` counts."""

    def __init__(self, chance: random.Random, rate: float):
        self.chance, self.rate, self.events = chance, rate, 0

    def __call__(self, data: bytes) -> bytes:
        if not self.rate:
            return data
        out = bytearray()
        for byte in data:
            if self.chance.random() >= self.rate:
                out.append(byte)
                continue
            self.events += 1
            match self.chance.randrange(3):
                case 0:
                    pass
                case 1:
                    out.append(byte ^ 1 << self.chance.randrange(8))
                case _:
                    out += bytes([self.chance.randrange(256), byte])
        return bytes(out)
