"""Point-in-time economic data: what was known on a day.

    import asof

    asof.observations("GDP", as_of="2015-01-30").to_pandas()

The functions ask the `asof` command, which answers from your own store. `Asof` names another store or a service.
Days are `datetime.date`, numbers `decimal.Decimal` with the exact digits, and what is missing is None.
"""

from .answers import Answer, AsofError, AsofNote, Field
from .client import Asof
from .default import *  # noqa: F403
from .default import __all__ as _questions

__all__ = ["Answer", "Asof", "AsofError", "AsofNote", "Field", *_questions]
