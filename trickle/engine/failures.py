"""Spark's exceptions as ours: what went wrong in a sentence, with its error class, without a stack trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from trickle.errors import CorruptLakeError, EngineError

NEGATIVE = "TRICKLE_NEGATIVE_MULTIPLICITY"

_ADVICE = re.compile(r' If necessary set "[^"]+" to "[^"]+" to bypass this error\.')


@contextmanager
def reported(what: str) -> Iterator[None]:
    """Raise EngineError for anything Spark fails with, CorruptLakeError when stored rows cannot be a multiset."""
    try:
        yield
    except PySparkException as error:
        raise _translated(what, str(error)) from error
    except Py4JJavaError as error:
        raise _translated(what, str(error.java_exception)) from error
    except (Py4JError, ConnectionError) as error:
        raise EngineError(f"{what}: lost the Spark process", detail=str(error), hint="run again") from error


def _translated(what: str, text: str) -> EngineError | CorruptLakeError:
    if NEGATIVE in text:
        return CorruptLakeError(
            f"{what}: a row was to be removed more often than it is there",
            hint="trickle verify names the difference; drop the table to build it anew",
        )
    first, _, rest = text.strip().partition("\n")
    return EngineError(f"{what}: {_ADVICE.sub('', first)}", detail=_context(rest))


def _context(rest: str) -> str:
    """The lines of SQL that Spark points at, and nothing of its plan or stack."""
    start = rest.find("== SQL")
    return "" if start < 0 else rest[start:].split("\n\tat ")[0].strip()[:1000]
