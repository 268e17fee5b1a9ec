"""Who a lake is: its uuid and format, written into the description of its epochs table."""

from __future__ import annotations

import json
import uuid

from trickle.errors import ProjectError

FORMAT = 1


def new_identity() -> str:
    return json.dumps({"lake_id": str(uuid.uuid4()), "format": FORMAT})


def lake_id(description: str, root: str) -> str:
    """The lake's uuid; refuses a lake this version cannot read."""
    try:
        found = json.loads(description)
        form, name = int(found["format"]), str(found["lake_id"])
    except (ValueError, KeyError, TypeError) as error:
        raise ProjectError(f'lake "{root}": it does not say what it is', hint="choose another folder") from error
    if form != FORMAT:
        raise ProjectError(
            f'lake "{root}": format {form} is unknown',
            detail=f"This version of trickle reads format {FORMAT}.",
            hint="use the version of trickle that wrote it",
        )
    return name
