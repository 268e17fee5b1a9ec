"""Takes passwords out of text on its way to the user, as the last of several fences."""

from __future__ import annotations

import re

MASK = "***"

_IN_URL = re.compile(r"(?P<before>\b[a-z][a-z0-9+.-]*://[^\s:/@]*:)[^\s/]+(?=@)", re.IGNORECASE)
_VALUE = r"(?!\{\{)(?:'[^']*'|\"[^\"]*\"|[^\s,}&'\"]+)"
_IN_SETTINGS = re.compile(
    r"(?P<before>\b\w*(?:password|passwd|secret)\s*=\s*"
    r"|(?:^|[{,])\s*[\"']?\w*(?:password|passwd|secret)[\"']?\s*:\s*)" + _VALUE,
    re.IGNORECASE | re.MULTILINE,
)


def redact(text: str) -> str:
    """The text with the password of each URL, DSN or setting replaced by `***`."""
    return _IN_SETTINGS.sub(rf"\g<before>{MASK}", _IN_URL.sub(rf"\g<before>{MASK}", text))
