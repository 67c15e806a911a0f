import { formatTimestamp, type KeptCallback, normalizePhone, Problem } from "@longwave/contract";
import { toApiId, uuidTime } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { claimThenWork } from "../../http/idempotency/index.ts";
import { messagesNamed, parseOurReference } from "../../messaging/outbound/index.ts";
import type { CarriersDeps } from "../../network/carriers/deps.ts";
import {
  type Carrier,
  type ContentReader,
  type InboundMessage,
  type KeptRow,
  type Leaf,
  leavesOf,
  listKeptCallbacks,
  type ReadableCallback,
  type Receipt,
  settleKeptCallbacks,
} from "../../network/carriers/index.ts";
import { findLiveHolder } from "../../network/numbers/index.ts";

/** All that a carrier can have. */
const REPLAYED_MAX = 500;
const PHONE = /^\+?\d{10,15}$/;
const BODY_FIELDS = /(?:^|[.\]])(?:body|text|message|content)$/i;

type Names = "operator.carriers.keptCallbacks" | "operator.carriers.replayCallbacks";
type Match = KeptCallback["matches"][number];

/** Callbacks that had no effect: a list with the paths that would match, and another reading. */
export const keptCallbackHandlers: HandlersOf<Names, CarriersDeps> = {
  "operator.carriers.keptCallbacks": async ({ deps }, { params, query }) => {
    const carrier = carrierOf(deps, params.name);
    const filters = { name: params.name };
    const scope = { list: "operator.carriers.keptCallbacks", owner: "operator", filters };
    const page = pageRequest(deps.secrets, scope, query);
    const after = (page.after?.[0] as string | undefined) ?? null;
    const rows = await listKeptCallbacks(deps, carrier.name, { after, limit: page.limit + 1 });
    const matches = new Map<string, Match[]>();
    for (const row of rows) matches.set(row.id, await matchesIn(deps, carrier, row));
    const body = pageAnswer(
      deps.secrets,
      scope,
      page,
      rows,
      (row) => [row.id],
      (row) => ({
        ...present(row),
        matches: matches.get(row.id) ?? [],
      }),
    );
    return { status: 200, body };
  },

  "operator.carriers.replayCallbacks": (context, { params }) =>
    claimThenWork(context, async () => {
      const { deps } = context;
      const carrier = carrierOf(deps, params.name);
      const rows = await listKeptCallbacks(deps, carrier.name, {
        after: null,
        limit: REPLAYED_MAX,
      });
      const read: string[] = [];
      const unread = new Map<string, string>();
      for (const row of rows.toReversed()) {
        const reason = await replay(deps, carrier, row);
        if (reason === null) read.push(row.id);
        else unread.set(row.id, reason);
      }
      await settleKeptCallbacks(deps, read, unread);
      return {
        status: 200 as const,
        body: {
          object: "callback_replay" as const,
          carrier: carrier.name,
          read: read.length,
          unread: [...unread].map(([id, reason]) => ({ id: toApiId("kept_callback", id), reason })),
        },
      };
    }),
};

function carrierOf({ carriers }: CarriersDeps, name: string): Carrier {
  const carrier = carriers.all().find((one) => one.name === name);
  if (carrier) return carrier;
  throw new Problem("not_found", `There is no carrier ${name.slice(0, 64)}.`);
}

/** Reads a callback again; null when it took effect, or the reason why it did not. */
async function replay(deps: CarriersDeps, carrier: Carrier, row: KeptRow): Promise<string | null> {
  const { name } = carrier;
  const reader = carrier.readerOf?.(row.kind);
  if (!reader) return "The carrier brings nothing of this kind.";
  try {
    const items = reader.read(contentsOf(row));
    const lost = row.is_item ? await unmatchedReference(deps, name, items) : null;
    if (lost !== null) return `No message has the reference ${lost}.`;
    await reader.store(items);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

/** Reference of a receipt that no message has. The inbox would drop it as a repeat. */
async function unmatchedReference(
  { db }: CarriersDeps,
  carrier: string,
  items: readonly (Receipt | InboundMessage)[],
): Promise<string | null> {
  for (const item of items) {
    if (!("state" in item) || parseOurReference(item.ourReference) !== null) continue;
    const { reference } = item;
    const named = reference === null ? null : await messagesNamed(db, carrier, [reference]);
    if (!named?.has(reference ?? "")) return reference ?? "";
  }
  return null;
}

/** Paths of the contents that name a message, a state, a phone or a text. */
async function matchesIn({ db }: CarriersDeps, carrier: Carrier, row: KeptRow): Promise<Match[]> {
  const { name } = carrier;
  const reader = carrier.readerOf?.(row.kind);
  const inspected = reader ? inspect(reader, contentsOf(row)) : null;
  if (inspected === null) return [];
  const leaves = leavesOf(inspected.item);
  const named = await messagesNamed(
    db,
    name,
    leaves.map(({ value }) => value),
  );
  const matches: Match[] = [];
  for (const leaf of leaves) {
    const found = receiptMatch(leaf, named, inspected) ?? (await inboundMatch(db, leaf));
    if (found) matches.push(found);
  }
  return matches;
}

function receiptMatch(
  leaf: Leaf,
  named: ReadonlyMap<string, string>,
  { isState }: { isState(word: string): boolean },
): Match | null {
  const known = named.get(leaf.value);
  if (known) return match("receipts.id", leaf, known);
  const ours = parseOurReference(leaf.value);
  if (ours) return match("receipts.reference", leaf, ours.messageId);
  return isState(leaf.value) ? match("receipts.status", leaf) : null;
}

async function inboundMatch(db: CarriersDeps["db"], leaf: Leaf): Promise<Match | null> {
  const phone = PHONE.test(leaf.value) ? normalizePhone(leaf.value) : null;
  if (phone === null) return BODY_FIELDS.test(leaf.path) ? match("inbound.body", leaf) : null;
  const isOwn = (await findLiveHolder(db, phone)) !== null;
  return match(isOwn ? "inbound.to" : "inbound.from", leaf);
}

function inspect(reader: ContentReader, contents: ReadableCallback) {
  try {
    return reader.inspect(contents);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

function match(field: string, { path, value }: Leaf, messageId: string | null = null): Match {
  return { field, path, value, message_id: messageId && toApiId("message", messageId) };
}

function contentsOf({ kind, query, content_type, body, is_item }: KeptRow): ReadableCallback {
  return { kind, query, contentType: content_type, body, isItem: is_item };
}

function present(row: KeptRow): Omit<KeptCallback, "matches"> {
  return {
    object: "kept_callback",
    id: toApiId("kept_callback", row.id),
    carrier: row.carrier,
    kind: row.kind,
    reason: row.reason,
    is_item: row.is_item,
    content_type: row.content_type,
    query: row.query,
    body: row.body.toString("utf8"),
    times: row.times,
    first_at: formatTimestamp(uuidTime(row.id)),
    last_at: formatTimestamp(row.last_at),
  };
}
