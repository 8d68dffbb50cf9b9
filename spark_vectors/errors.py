"""The one error that the commands show: a sentence and what to do about it."""

__all__ = ["JobError"]


class JobError(Exception):
    """A job cannot run or must not be believed; the message is one sentence, ``hint`` says what to do."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.hint = hint
