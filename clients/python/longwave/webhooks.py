"""Verification of received webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Mapping, Optional, Union

from ._errors import LongwaveError

TOLERANCE_SECONDS = 300
_HEADER_CHARS_MAX = 2_048
_SIGNATURES_MAX = 16


class WebhookVerificationError(LongwaveError):
    """The request is forged, altered or too old."""


def verify(
    body: Union[str, bytes],
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: Optional[float] = None,
) -> Any:
    """Verifies a webhook and returns its event; raises WebhookVerificationError.

    ``body`` is the body exactly as received, ``secret`` the endpoint's with its prefix. Events may repeat:
    deduplicate by id.
    """
    names = {name.lower(): value for name, value in headers.items()}
    event_id = names.get("webhook-id", "")
    timestamp = names.get("webhook-timestamp", "")
    header = names.get("webhook-signature", "")
    is_time = timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= 12
    if not event_id or not is_time or not header or len(header) > _HEADER_CHARS_MAX:
        raise WebhookVerificationError("The signature header is missing or malformed.")
    apart = abs((time.time() if now is None else now) - int(timestamp))
    if apart > tolerance_seconds:
        raise WebhookVerificationError(
            f"The timestamp is {round(apart)} seconds away from now; at most {tolerance_seconds} are allowed."
        )
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{event_id}.{timestamp}.".encode() + raw
    mac = base64.b64encode(hmac.new(_key_of(secret), signed, hashlib.sha256).digest()).decode()
    offered = header.split(" ")[:_SIGNATURES_MAX]
    if not any(hmac.compare_digest(one.encode(), f"v1,{mac}".encode()) for one in offered):
        raise WebhookVerificationError(
            "The signature does not match. Check that the secret is this endpoint's and that the body is the raw one."
        )
    return json.loads(raw)


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise WebhookVerificationError("The secret is not whsec_ and base64.")
    return key
