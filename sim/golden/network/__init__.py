"""A network of brokers at the level of transactions: every frame on every link and every delivery, without a clock.

It knows nothing of the hardware. ``docs/network.md`` says what order it promises.
"""
