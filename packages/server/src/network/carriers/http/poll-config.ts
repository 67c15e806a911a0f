import type { Environment, FieldCheck } from "../check-fields.ts";
import { readUrl } from "./auth-config.ts";
import {
  type InboundPaths,
  type ReceiptPaths,
  readInbound,
  readReceipts,
} from "./callbacks-config.ts";
import type { ValuePath } from "./path.ts";
import { readPath } from "./read-path.ts";
import { readTree, type TemplateTree } from "./template.ts";

/** Values that the query of a poll may use: the time since which items are wanted, in several forms. */
const POLL_VALUES = ["since", "since_utc", "since_seconds", "since_date"] as const;
export type PollValue = (typeof POLL_VALUES)[number];

/** Way from one page of a list to the next. */
export type PageOptions =
  | { readonly by: "none" }
  /** The answer names the next page's address, or the value of a query parameter. */
  | { readonly by: "next"; readonly path: ValuePath; readonly parameter: string | null }
  /** Pages have numbers. The first empty one ends the list. */
  | { readonly by: "number"; readonly parameter: string; readonly first: number }
  /** The query counts the items before the page. The first empty page ends the list. */
  | { readonly by: "offset"; readonly parameter: string };

/** A list at the carrier that is read again and again. */
export interface PolledList<P extends ReceiptPaths | InboundPaths> {
  readonly url: string;
  readonly query: TemplateTree<PollValue>;
  readonly pages: PageOptions;
  /** Time before now, or before the latest whole round, from which items are read. */
  readonly backMs: number;
  /** Time of an item, for lists newest first that take no begin. */
  readonly at: ValuePath | null;
  readonly paths: P;
}

export interface PollOptions {
  readonly everyMs: number;
  readonly receipts: PolledList<ReceiptPaths> | null;
  readonly inbound: PolledList<InboundPaths> | null;
}

const MINUTE_MS = 60_000;
const BACK_MINUTES_MAX = 10_080;
/** Status of a message may change for as long. */
const RECEIPTS_BACK_MINUTES = 1_440;
/** Time that an inbound message may take to appear in the list. */
const INBOUND_BACK_MINUTES = 10;
const PARAMETER = /^[\w.[\]-]{1,60}$/;
const PARAMETER_TAKES = "the name of a query parameter";

/** `poll` of an entry; null without one. */
export function readPolling(
  check: FieldCheck,
  env: Environment,
  hasPrivateAddress: boolean,
): PollOptions | null {
  if (!check.has("poll")) return null;
  const poll = check.nested("poll");
  const list = <P extends ReceiptPaths | InboundPaths>(
    name: string,
    backMinutes: number,
    read: (list: FieldCheck) => P,
  ): PolledList<P> | null => {
    if (!poll.has(name)) return null;
    const given = poll.nested(name);
    const query = readTree(
      { check: given, env, names: POLL_VALUES },
      "query",
      given.value("query") ?? {},
    );
    const isFlat = "fields" in query && query.fields.every(([, value]) => "text" in value);
    if (!isFlat) given.fail("query", "takes an object of texts.");
    const common = {
      url: readUrl(given, "url", hasPrivateAddress),
      query,
      pages: readPages(given),
      backMs: given.whole("back_minutes", 1, BACK_MINUTES_MAX, backMinutes) * MINUTE_MS,
      at: readPath(given, "at"),
    };
    const paths = read(given);
    if (paths.list === null) given.fail("list", "is missing: it is the path of the items.");
    if (paths.id.length === 0) given.fail("id", "is missing: repeated items are known by it.");
    return { ...common, paths };
  };
  const options = {
    everyMs: poll.whole("every_seconds", 1, 3_600, 30) * 1_000,
    receipts: list("receipts", RECEIPTS_BACK_MINUTES, readReceipts),
    inbound: list("inbound", INBOUND_BACK_MINUTES, readInbound),
  };
  if (options.receipts === null && options.inbound === null) {
    check.fail("poll", "takes receipts, inbound, or both.");
  }
  poll.rejectUnknown();
  return options;
}

function readPages(list: FieldCheck): PageOptions {
  if (!list.has("pages")) return { by: "none" };
  const pages = list.nested("pages");
  const options = pageOptions(pages);
  pages.rejectUnknown();
  return options;
}

function pageOptions(pages: FieldCheck): PageOptions {
  const path = readPath(pages, "next");
  if (path !== null) {
    const parameter = pages.has("query")
      ? pages.string("query", PARAMETER, PARAMETER_TAKES, null)
      : null;
    return { by: "next", path, parameter };
  }
  const parameter = pages.string("query", PARAMETER, PARAMETER_TAKES, null);
  if (pages.oneOf("by", ["number", "offset"], "number") === "offset") {
    return { by: "offset", parameter };
  }
  return { by: "number", parameter, first: pages.whole("first", 0, 1, 1) };
}
