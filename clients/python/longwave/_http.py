"""One exchange over HTTP, and the rules of retries."""

from __future__ import annotations

import http.client
import json
import os
import random
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from ._errors import ApiError, ConnectionFailed, LongwaveError, UnreadableAnswer, error_from

BASE_URL_DEFAULT = "http://127.0.0.1:7670"
TIMEOUT_SECONDS_DEFAULT = 30.0
RETRY_DELAYS_SECONDS_DEFAULT = (0.5, 2.0)
# No retry for a longer Retry-After: the caller should know.
RETRY_AFTER_SECONDS_MAX = 60


@dataclass(frozen=True)
class CallOptions:
    """Options of a single call."""

    #: Generated for every POST by default, so that a retry never repeats the work.
    idempotency_key: Optional[str] = None
    #: Seconds without a byte from the server.
    timeout: Optional[float] = None
    #: Seconds before each retry; an empty sequence turns retries off.
    retry_delays: Optional[Sequence[float]] = None


class Unset:
    """The value of an absent field; None is null."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset()


def given(fields: Mapping[str, Any]) -> Dict[str, Any]:
    """Fields that the caller has given."""
    return {name: value for name, value in fields.items() if value is not UNSET}


def segment(value: str) -> str:
    """Escapes one part of a path."""
    if value in ("", ".", ".."):
        raise ValueError(f"{value!r} cannot be part of a path.")
    return urllib.parse.quote(value, safe="")


@dataclass(frozen=True)
class Request:
    """A call, ready to be sent any number of times."""

    method: str
    url: str
    headers: Dict[str, str]
    data: Optional[bytes]
    timeout: float
    delays: Sequence[float]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    # A redirected call would carry the API key to another server.
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Settings:
    """Address and credentials of a client."""

    def __init__(
        self,
        api_key: Optional[str],
        operator_token: Optional[str],
        base_url: Optional[str],
        timeout: float,
        retry_delays: Sequence[float],
    ) -> None:
        self._api_key = api_key or os.environ.get("LONGWAVE_API_KEY", "")
        self._operator_token = operator_token or os.environ.get("LONGWAVE_OPERATOR_TOKEN", "")
        self._base_url = _checked_url(base_url or os.environ.get("LONGWAVE_URL") or BASE_URL_DEFAULT)
        self._timeout = timeout
        self._retry_delays = retry_delays
        self._opener = urllib.request.build_opener(_NoRedirects)

    def request(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]],
        body: Optional[Mapping[str, Any]],
        file: Union[str, bytes, None],
        options: Optional[CallOptions],
    ) -> Request:
        """Turns a call into a request. Retries repeat its idempotency key."""
        chosen = options or CallOptions()
        headers = {
            "authorization": f"Bearer {self._credential(path)}",
            "accept": "application/json, text/csv",
        }
        data: Optional[bytes] = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(body).encode()
        if file is not None:
            headers["content-type"] = "text/csv"
            data = file.encode() if isinstance(file, str) else file
        if method == "POST":
            headers["idempotency-key"] = chosen.idempotency_key or str(uuid.uuid4())
        return Request(
            method,
            self._base_url + path + _query_text(query),
            headers,
            data,
            self._timeout if chosen.timeout is None else chosen.timeout,
            self._retry_delays if chosen.retry_delays is None else chosen.retry_delays,
        )

    def exchange(self, request: Request) -> bytes:
        """Sends a request once; returns the body of a successful answer."""
        outgoing = urllib.request.Request(
            request.url, request.data, request.headers, method=request.method
        )
        try:
            with self._opener.open(outgoing, timeout=request.timeout) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            with error:
                headers = {name.lower(): value for name, value in error.headers.items()}
                raise error_from(error.code, headers, _parsed(_body_of(error))) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            origin = urllib.parse.urlsplit(request.url).netloc
            raise ConnectionFailed(f"The exchange with {origin} broke: {reason}") from error

    def _credential(self, path: str) -> str:
        is_operator = path.startswith("/operator/")
        value = self._operator_token if is_operator else self._api_key
        if value:
            return value
        name = "operator_token" if is_operator else "api_key"
        raise LongwaveError(f"{path} needs the argument {name}, or the variable LONGWAVE_{name.upper()}.")


def retry_wait(method: str, error: LongwaveError, delay: float) -> Optional[float]:
    """Seconds before the next attempt, or None for none.

    Retries are safe: every POST carries an idempotency key, a GET changes nothing, and a PATCH sets the
    same values again.
    """
    # Clients that failed together must not return together.
    jittered = delay * random.uniform(0.5, 1)
    if isinstance(error, ConnectionFailed):
        # A DELETE that succeeded before the connection broke would answer 404 the second time.
        return None if method == "DELETE" else jittered
    if not isinstance(error, ApiError) or not _may_pass(error):
        return None
    asked = error.retry_after_seconds or 0
    return None if asked > RETRY_AFTER_SECONDS_MAX else max(jittered, asked * random.uniform(1, 1.1))


def _may_pass(error: ApiError) -> bool:
    # The carrier's refusal is final: a retry would be another failed message.
    if error.code == "carrier_error":
        return False
    return error.code == "idempotency_in_progress" or error.status in (408, 429) or error.status >= 500


def _body_of(error: urllib.error.HTTPError) -> bytes:
    try:
        return error.read()
    except (OSError, http.client.HTTPException):
        return b""


def read_json(path: str, body: bytes) -> Any:
    """The JSON of a successful answer."""
    try:
        return json.loads(body)
    except ValueError:
        shown = body[:80].decode("utf-8", "replace")
        raise UnreadableAnswer(
            f"The answer to {path} is no JSON, but begins {shown!r}. Check that base_url leads to the server."
        ) from None


def _parsed(body: bytes) -> Any:
    text = body.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


def _query_text(query: Optional[Mapping[str, Any]]) -> str:
    pairs = []
    for name, value in (query or {}).items():
        items = [(f"{name}[{key}]", one) for key, one in value.items()] if isinstance(value, dict) else [(name, value)]
        pairs += [(key, _query_value(one)) for key, one in items if one is not None]
    return f"?{urllib.parse.urlencode(pairs)}" if pairs else ""


def _query_value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _checked_url(given_url: str) -> str:
    parts = urllib.parse.urlsplit(given_url)
    is_good = parts.scheme in ("http", "https") and parts.hostname and not (parts.query or parts.fragment)
    if not is_good or parts.username or parts.password:
        # The value may hold a password, so the error does not repeat it.
        raise LongwaveError(f"base_url must be the server's URL, such as {BASE_URL_DEFAULT}.")
    # People paste /v1 and a trailing slash along.
    return given_url.rstrip("/").removesuffix("/v1")
