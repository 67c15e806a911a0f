"""Bases of the generated resources, and pages of lists."""

from __future__ import annotations

from typing import (
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Dict,
    Generic,
    Iterator,
    List,
    Mapping,
    Optional,
    TypeVar,
    Union,
)

from ._http import UNSET, CallOptions, Unset, given, read_json, segment

__all__ = [
    "UNSET",
    "AsyncPage",
    "AsyncResource",
    "CallOptions",
    "Page",
    "Resource",
    "Unset",
    "given",
    "segment",
]

T = TypeVar("T")


class Page(Generic[T]):
    """One page of a list. Iterating over it continues through all following pages."""

    def __init__(self, answer: Mapping[str, Any], read: Callable[[str], "Page[T]"]) -> None:
        self.data: List[T] = answer["data"]
        self.has_more: bool = answer["has_more"]
        self.next_cursor: Optional[str] = answer["next_cursor"]
        self._read = read

    def pages(self) -> Iterator["Page[T]"]:
        """This page and all that follow."""
        page = self
        yield page
        while page.next_cursor is not None:
            cursor = page.next_cursor
            page = self._read(cursor)
            yield page
            # A cursor that repeats itself would loop forever.
            if page.next_cursor == cursor:
                return

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data


class AsyncPage(Generic[T]):
    """One page of a list. ``async for`` continues through all following pages."""

    def __init__(
        self, answer: Mapping[str, Any], read: Callable[[str], Awaitable["AsyncPage[T]"]]
    ) -> None:
        self.data: List[T] = answer["data"]
        self.has_more: bool = answer["has_more"]
        self.next_cursor: Optional[str] = answer["next_cursor"]
        self._read = read

    async def pages(self) -> AsyncIterator["AsyncPage[T]"]:
        """This page and all that follow."""
        page = self
        yield page
        while page.next_cursor is not None:
            cursor = page.next_cursor
            page = await self._read(cursor)
            yield page
            # A cursor that repeats itself would loop forever.
            if page.next_cursor == cursor:
                return

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.data:
                yield item


class Resource:
    """Calls that wait for the answer."""

    def __init__(self, send: Callable[..., bytes]) -> None:
        self._send = send

    def _call(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        file: Union[str, bytes, None] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        return read_json(path, self._send(method, path, query, body, file, options))

    def _file(
        self,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> bytes:
        return self._send("GET", path, query, None, None, options)

    def _list(
        self,
        path: str,
        query: Optional[Dict[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> Page[Any]:
        def read(cursor: str) -> Page[Any]:
            return self._list(path, {**(query or {}), "cursor": cursor}, options)

        return Page(self._call("GET", path, query, options=options), read)


class AsyncResource:
    """Calls for asyncio."""

    def __init__(self, send: Callable[..., Awaitable[bytes]]) -> None:
        self._send = send

    async def _call(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        file: Union[str, bytes, None] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        return read_json(path, await self._send(method, path, query, body, file, options))

    async def _file(
        self,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> bytes:
        return await self._send("GET", path, query, None, None, options)

    async def _list(
        self,
        path: str,
        query: Optional[Dict[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> AsyncPage[Any]:
        async def read(cursor: str) -> AsyncPage[Any]:
            return await self._list(path, {**(query or {}), "cursor": cursor}, options)

        return AsyncPage(await self._call("GET", path, query, options=options), read)
