"""The two clients: one that waits, one for asyncio."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import Any, AsyncIterator, Collection, Iterator, List, Mapping, Optional, Sequence

from . import _async, _sync, types
from ._errors import ApiError, ConnectionFailed, LongwaveError, UnreadableAnswer
from ._http import (
    RETRY_DELAYS_SECONDS_DEFAULT,
    TIMEOUT_SECONDS_DEFAULT,
    CallOptions,
    Settings,
    retry_wait,
)

WAIT_SECONDS_DEFAULT = 20
# Extra time beyond the server's wait, for its answer.
WAIT_GRACE_SECONDS = 10
# Pauses after consecutive failures of the long poll; the last repeats.
PAUSES_SECONDS = (1, 2, 5, 10, 30)
# Remembered event ids; a repeat follows soon after the first.
SEEN_IDS_MAX = 10_000


class Longwave(_sync.Resources):
    """A client whose calls wait for the answer. Threads may share it."""

    def __init__(
        self,
        api_key: Optional[str] = None,
        *,
        operator_token: Optional[str] = None,
        base_url: Optional[str] = None,
        timeout: float = TIMEOUT_SECONDS_DEFAULT,
        retry_delays: Sequence[float] = RETRY_DELAYS_SECONDS_DEFAULT,
    ) -> None:
        self._settings = Settings(api_key, operator_token, base_url, timeout, retry_delays)
        super().__init__(self._send)

    def _send(self, *call: Any) -> bytes:
        request = self._settings.request(*call)
        for delay in request.delays:
            try:
                return self._settings.exchange(request)
            except LongwaveError as error:
                wait = retry_wait(request.method, error, delay)
                if wait is None:
                    raise
            time.sleep(wait)
        return self._settings.exchange(request)

    def listen(
        self,
        *,
        cursor: Optional[str] = None,
        types: Optional[Collection[str]] = None,
        wait_seconds: int = WAIT_SECONDS_DEFAULT,
    ) -> Iterator["types.Event"]:
        """Yields every event once, as it happens, by long poll. Broken connections are retried."""
        position = _Position(cursor, types, wait_seconds)
        while True:
            try:
                answer = self.events.wait(**position.query(), options=position.options)
            except LongwaveError as error:
                time.sleep(position.pause_after(error))
                continue
            yield from position.events_in(answer)


class AsyncLongwave(_async.Resources):
    """A client for asyncio. Each call under way takes a thread of the loop's default executor."""

    def __init__(
        self,
        api_key: Optional[str] = None,
        *,
        operator_token: Optional[str] = None,
        base_url: Optional[str] = None,
        timeout: float = TIMEOUT_SECONDS_DEFAULT,
        retry_delays: Sequence[float] = RETRY_DELAYS_SECONDS_DEFAULT,
    ) -> None:
        self._settings = Settings(api_key, operator_token, base_url, timeout, retry_delays)
        super().__init__(self._send)

    async def _send(self, *call: Any) -> bytes:
        request = self._settings.request(*call)
        for delay in request.delays:
            try:
                return await asyncio.to_thread(self._settings.exchange, request)
            except LongwaveError as error:
                wait = retry_wait(request.method, error, delay)
                if wait is None:
                    raise
            await asyncio.sleep(wait)
        return await asyncio.to_thread(self._settings.exchange, request)

    async def listen(
        self,
        *,
        cursor: Optional[str] = None,
        types: Optional[Collection[str]] = None,
        wait_seconds: int = WAIT_SECONDS_DEFAULT,
    ) -> AsyncIterator["types.Event"]:
        """Yields every event once, as it happens, by long poll. Broken connections are retried."""
        position = _Position(cursor, types, wait_seconds)
        while True:
            try:
                answer = await self.events.wait(**position.query(), options=position.options)
            except LongwaveError as error:
                await asyncio.sleep(position.pause_after(error))
                continue
            for event in position.events_in(answer):
                yield event


class _Position:
    """Position of a listener: its cursor and the ids of seen events."""

    def __init__(
        self, cursor: Optional[str], types: Optional[Collection[str]], wait_seconds: int
    ) -> None:
        self._cursor = cursor
        self._types = types
        self._wait_seconds = wait_seconds
        self._seen: "OrderedDict[str, None]" = OrderedDict()
        self._failures = 0
        self.options = CallOptions(timeout=wait_seconds + WAIT_GRACE_SECONDS, retry_delays=())

    def query(self) -> Mapping[str, Any]:
        # Without a cursor the server answers at once, with the position of now.
        return {} if self._cursor is None else {"cursor": self._cursor, "timeout": self._wait_seconds}

    def pause_after(self, error: LongwaveError) -> float:
        """Seconds to wait after a failure that may pass; raises any other."""
        is_passing = isinstance(error, (ConnectionFailed, UnreadableAnswer)) or (
            isinstance(error, ApiError) and (error.status == 429 or error.status >= 500)
        )
        if not is_passing:
            raise error
        pause = PAUSES_SECONDS[min(self._failures, len(PAUSES_SECONDS) - 1)]
        self._failures += 1
        asked = error.retry_after_seconds if isinstance(error, ApiError) else None
        return max(pause, asked or 0)

    def events_in(self, answer: Mapping[str, Any]) -> List[Any]:
        self._failures = 0
        self._cursor = answer["cursor"]
        fresh = []
        for event in answer["data"]:
            if event["id"] in self._seen:
                continue
            self._seen[event["id"]] = None
            if len(self._seen) > SEEN_IDS_MAX:
                self._seen.popitem(last=False)
            if self._types is None or event["type"] in self._types:
                fresh.append(event)
        return fresh
