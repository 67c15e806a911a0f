"""Errors that the client raises."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class LongwaveError(Exception):
    """Base of every error of this package."""


class ConnectionFailed(LongwaveError):
    """The server is unreachable, or the connection broke before an answer."""


class UnreadableAnswer(LongwaveError):
    """A successful answer that is no JSON: something in front of the server answered."""


class ApiError(LongwaveError):
    """Unsuccessful answer. Branch on ``code``; show the message; quote ``request_id``."""

    def __init__(self, status: int, headers: Mapping[str, str], body: Any) -> None:
        error = body.get("error") if isinstance(body, dict) else None
        fields = error if isinstance(error, dict) else {}
        super().__init__(fields.get("message") or f"The server answered {status}.")
        self.status = status
        #: A documented code, or "unknown" when a proxy answered instead of the service.
        self.code: str = fields.get("code") or "unknown"
        #: The invalid field, such as ``recipients[3].to``.
        self.param: Optional[str] = fields.get("param")
        self.request_id: Optional[str] = fields.get("request_id") or headers.get("x-request-id")
        #: With ``insufficient_scope``: the missing scope.
        self.required_scope: Optional[str] = fields.get("required_scope")
        wait = headers.get("retry-after", "")
        self.retry_after_seconds: Optional[int] = int(wait) if wait.isdecimal() and len(wait) < 10 else None
        self.headers = headers
        self.body = body


class BadRequestError(ApiError):
    """400."""


class AuthenticationError(ApiError):
    """401."""


class InsufficientCreditsError(ApiError):
    """402."""


class PermissionDeniedError(ApiError):
    """403."""


class NotFoundError(ApiError):
    """404."""


class ConflictError(ApiError):
    """409."""


class RateLimitError(ApiError):
    """429."""


class ServerError(ApiError):
    """500 and above, 502 of a carrier included."""


_CLASSES = {
    400: BadRequestError,
    401: AuthenticationError,
    402: InsufficientCreditsError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}


def error_from(status: int, headers: Mapping[str, str], body: Any) -> ApiError:
    fallback = ServerError if status >= 500 else ApiError
    return _CLASSES.get(status, fallback)(status, headers, body)
