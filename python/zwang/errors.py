"""What goes wrong while a model is read: an error with its place, in the words of the command line."""

from __future__ import annotations

import errno
import os
from typing import Any


class Error(Exception):
    """A mistake in a model, with its place.

    `str(error)` is what the command prints: place, message, the line and a caret below the column.

    >>> import zwang
    >>> try:
    ...     zwang.parse('[points.a]\\nmass = "m"\\nposition = [0, 0]\\n', "ball.toml")
    ... except zwang.Error as error:
    ...     print(error.line, error.column)
    2 9
    """

    #: what is wrong, in a sentence
    message: str
    #: the file, or what stands for it
    file: str
    #: counted from 1; None when the mistake has no line
    line: int | None
    #: counted from 1, in characters; None when the mistake has no line
    column: int | None

    def __init__(self, message: str, file: str = "", line: int | None = None, column: int | None = None,
                 text: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self._text = text if text is not None else (f"{file}: error: {message}" if file else message)

    def __str__(self) -> str:
        return self._text

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, int | None, int | None, str]]:
        return (Error, (self.message, self.file, self.line, self.column, self._text))


class MissingFile(Error, FileNotFoundError):
    """A file that is not there: an `Error`, and a `FileNotFoundError` for programs that expect one."""

    def __init__(self, message: str, file: str = "", line: int | None = None, column: int | None = None,
                 text: str | None = None) -> None:
        super().__init__(message, file, line, column, text)
        self.errno = errno.ENOENT
        self.strerror = os.strerror(errno.ENOENT)
        self.filename = file

    def __reduce__(self) -> Any:
        return (MissingFile, (self.message, self.file, self.line, self.column, self._text))
