import type { Outgoing } from "../../../core/platform/outgoing/index.ts";
import type { InboundPaths, ReceiptPaths } from "./callbacks-config.ts";
import { parseLoosely, stringAt, valuesAt } from "./path.ts";
import type { PolledList } from "./poll-config.ts";
import { fillTree } from "./template.ts";

const PAGE_BYTES_MAX = 4 * 1024 * 1024;
const PAGE_DEADLINE_MS = 20_000;
const ITEMS_MAX = 1_000;
const VALUE_CHARS_MAX = 2_000;

type List = Pick<
  PolledList<ReceiptPaths | InboundPaths>,
  "url" | "query" | "pages" | "at" | "paths"
>;

/** Items of one page, and where the list continues; null at its end. */
export type PageResult =
  | { readonly items: readonly unknown[]; readonly next: string | null }
  | {
      readonly error: string;
      /** The carrier answered, and not with a page. */
      readonly isRefused: boolean;
      readonly status?: number;
    };

/** Reads one page of a list. */
export async function readPage(
  client: {
    readonly outgoing: Outgoing;
    readonly headers: readonly string[];
    readonly signal: AbortSignal;
  },
  list: List,
  { page, sinceMs }: { readonly page: string | null; readonly sinceMs: number },
): Promise<PageResult> {
  const url = urlOf(list, page, sinceMs);
  const result = await client.outgoing
    .request({
      method: "GET",
      url,
      headers: ["accept", "application/json", ...client.headers],
      deadlineMs: PAGE_DEADLINE_MS,
      bodyBytesMax: PAGE_BYTES_MAX,
      reuse: true,
      signal: client.signal,
    })
    .catch(() => null);
  if (result === null) return { error: "The server is stopping.", isRefused: false };
  if (result.kind === "failed") return { error: result.detail, isRefused: false };
  const { status } = result;
  if (status < 200 || status > 299) {
    const isRefused = status >= 400 && status < 500 && status !== 429;
    return { error: `The carrier answered http:${status}.`, isRefused, status };
  }
  const content = result.truncated ? undefined : parseLoosely(result.body.toString("utf8"));
  if (content === undefined) return { error: "The answer is no JSON.", isRefused: true };
  const { paths, at } = list;
  const items = valuesAt(content, paths.list ?? [])
    .flat()
    .slice(0, ITEMS_MAX);
  const recent = items.filter((item) => !isBefore(item, at, sinceMs));
  // In a list newest first, an older item ends what is wanted.
  const isAtEnd = items.length === 0 || recent.length < items.length;
  return { items: recent, next: isAtEnd ? null : nextOf(list, content, page, items.length, url) };
}

function urlOf({ url, query, pages }: List, page: string | null, sinceMs: number): string {
  if (page !== null && pages.by === "next" && pages.parameter === null) return page;
  const since = new Date(sinceMs).toISOString().replace(/\.\d+Z$/, "Z");
  const since_seconds = String(Math.floor(sinceMs / 1_000));
  const times = {
    since,
    since_utc: since.replace("Z", ""),
    since_seconds,
    since_date: since.slice(0, 10),
  };
  const values = fillTree(query, times) as Record<string, string>;
  const params = new URLSearchParams(values);
  const value = page ?? firstOf(pages);
  if (value !== null && "parameter" in pages && pages.parameter) params.set(pages.parameter, value);
  return params.size === 0 ? url : `${url}?${params}`;
}

function firstOf(pages: List["pages"]): string | null {
  if (pages.by === "number") return String(pages.first);
  return pages.by === "offset" ? "0" : null;
}

function nextOf(
  { pages }: List,
  content: unknown,
  page: string | null,
  count: number,
  url: string,
): string | null {
  if (pages.by === "none") return null;
  if (pages.by !== "next") {
    const at = Number(page ?? firstOf(pages));
    return String(pages.by === "offset" ? at + count : at + 1);
  }
  const found = stringAt(content, pages.path);
  if (found === null || found.length > VALUE_CHARS_MAX) return null;
  if (pages.parameter !== null) return found;
  const next = URL.canParse(found, url) ? new URL(found, url) : null;
  // Credentials go to the carrier's own origin alone.
  return next?.origin === new URL(url).origin ? next.href : null;
}

function isBefore(item: unknown, at: List["at"], sinceMs: number): boolean {
  const text = stringAt(item, at);
  const ms = text === null ? Number.NaN : Date.parse(text);
  return ms < sinceMs;
}
