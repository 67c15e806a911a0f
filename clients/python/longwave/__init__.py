"""Longwave client for Python. No dependencies.

    from longwave import Longwave

    client = Longwave("svc_sk_test_…")
    client.messages.send(to="+15005550000", from_="+15005550100", body="Your table is ready.")
"""

from . import types, webhooks
from ._client import AsyncLongwave, Longwave
from ._errors import (
    ApiError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    ConnectionFailed,
    InsufficientCreditsError,
    LongwaveError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    UnreadableAnswer,
)
from ._http import UNSET, CallOptions, Unset
from ._resource import AsyncPage, Page
from .webhooks import WebhookVerificationError

__all__ = [
    "UNSET",
    "ApiError",
    "AsyncLongwave",
    "AsyncPage",
    "AuthenticationError",
    "BadRequestError",
    "CallOptions",
    "ConflictError",
    "ConnectionFailed",
    "InsufficientCreditsError",
    "Longwave",
    "LongwaveError",
    "NotFoundError",
    "Page",
    "PermissionDeniedError",
    "RateLimitError",
    "ServerError",
    "UnreadableAnswer",
    "Unset",
    "WebhookVerificationError",
    "types",
    "webhooks",
]
