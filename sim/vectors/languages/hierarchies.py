"""Topics with levels and subscriptions to them, drawn at the corners: empty levels, ``$``, wildcards where they may and may not stand."""

from sim.vectors.seeds import Draw

__all__ = ["Hierarchies"]

LEVELS = ("a", "a", "b", "b", "", "", "$", "$SYS", "$a", "A", "aa", "é", "日本", " ", "a b", "0", "-", ".", "😀", "x" * 64)


class Hierarchies:
    """Draws topics and subscriptions with the given wildcard for one level and the given sign for the end."""

    def __init__(self, draw: Draw, *, one: str, final: str) -> None:
        self.draw = draw
        self.one = one
        self.final = final

    def topic(self) -> str:
        """A topic without wildcards."""
        return "/".join(self.draw.some(LEVELS, self.draw.choice((1, 1, 2, 2, 3, 3, 4, 5, 8))))

    def subscription(self) -> str:
        """Mostly an accepted one: wildcards are whole levels, the final sign stands last."""
        levels = [
            self.one if self.draw.chance(0.3) else self.draw.choice(LEVELS) for _ in range(self.draw.choice((0, 1, 1, 2, 2, 3, 4, 7)))
        ]
        if not levels or self.draw.chance(0.35):
            levels.append(self.final)
        return "/".join(levels)

    def near(self, subscription: str) -> str:
        """A topic that the subscription matches or nearly does."""
        levels = [self.draw.choice(LEVELS) if level in (self.one, self.final) else level for level in subscription.split("/")]
        change = self.draw.fraction()
        if change < 0.15:
            levels.append(self.draw.choice(LEVELS))
        elif change < 0.3 and len(levels) > 1:
            levels.pop(self.draw.below(len(levels)))
        elif change < 0.45:
            levels[self.draw.below(len(levels))] = self.draw.choice(LEVELS)
        return "/".join(levels)

    def spoilt(self, subscription: str) -> str:
        """The same with a sign too many somewhere."""
        place = self.draw.between(0, len(subscription))
        return subscription[:place] + self.draw.choice((self.one, self.final, "/", self.final + "/")) + subscription[place:]
