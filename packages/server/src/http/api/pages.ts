import { createHash, timingSafeEqual } from "node:crypto";
import { PAGE_ITEMS_DEFAULT, Problem } from "@longwave/contract";
import type { Secrets } from "../../core/platform/secrets.ts";

const SIGNATURE_BYTES = 16;

/** Binds a cursor to a list: other lists refuse the cursor. */
export interface ListScope {
  readonly list: string;
  readonly owner: string;
  readonly filters: Readonly<Record<string, unknown>>;
}

export interface PageRequest {
  readonly limit: number;
  /** Sort key of the last item of the previous page, or null on the first page. */
  readonly after: readonly (string | number)[] | null;
}

export interface PageAnswer<T> {
  readonly data: T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

export const EMPTY_PAGE = { data: [], has_more: false, next_cursor: null };

/** Reads `limit` and `cursor` from a list's query. */
export function pageRequest(
  secrets: Secrets,
  scope: ListScope,
  query: { limit?: number; cursor?: string },
  itemsDefault: number = PAGE_ITEMS_DEFAULT,
): PageRequest {
  const after = query.cursor === undefined ? null : openCursor(secrets, scope, query.cursor);
  return { limit: query.limit ?? itemsDefault, after };
}

/**
 * Builds the answer of a list from its rows. Read one row more than the limit: the extra row shows that there is a next
 * page.
 */
export function pageAnswer<Row, T>(
  secrets: Secrets,
  scope: ListScope,
  request: PageRequest,
  rows: readonly Row[],
  keyOf: (row: Row) => readonly (string | number)[],
  present: (row: Row) => T,
): PageAnswer<T> {
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  const hasMore = rows.length > request.limit && last !== undefined;
  return {
    data: shown.map(present),
    has_more: hasMore,
    next_cursor: hasMore ? sealCursor(secrets, scope, keyOf(last)) : null,
  };
}

export function sealCursor(
  secrets: Secrets,
  scope: ListScope,
  key: readonly (string | number)[],
): string {
  const payload = Buffer.from(JSON.stringify(key));
  return Buffer.concat([sign(secrets, scope, payload), payload]).toString("base64url");
}

export function openCursor(
  secrets: Secrets,
  scope: ListScope,
  cursor: string,
): readonly (string | number)[] {
  const bytes = Buffer.from(cursor, "base64url");
  const payload = bytes.subarray(SIGNATURE_BYTES);
  const isCanonical = bytes.toString("base64url") === cursor && payload.length > 0;
  if (
    !isCanonical ||
    !timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), sign(secrets, scope, payload))
  ) {
    throw new Problem(
      "invalid_request",
      "This cursor does not belong to this list. Start again without it.",
      { param: "cursor" },
    );
  }
  return JSON.parse(payload.toString("utf8")) as (string | number)[];
}

function sign(secrets: Secrets, scope: ListScope, payload: Buffer): Buffer {
  const filters = Object.entries(scope.filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const bound = createHash("sha256")
    .update(JSON.stringify([scope.list, scope.owner, filters]))
    .digest();
  return secrets.hmac("cursor", Buffer.concat([bound, payload])).subarray(0, SIGNATURE_BYTES);
}
