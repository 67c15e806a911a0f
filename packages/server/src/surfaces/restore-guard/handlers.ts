import {
  formatTimestamp,
  HELD_KINDS,
  type HeldText,
  type Hold,
  Problem,
  parseTimestamp,
} from "@longwave/contract";
import { operatorActor } from "../../account/accounts/index.ts";
import { recordForInstallation } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import { readIdentity } from "../../core/db/driver/database-identity.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { CALLBACKS_PATH } from "../../network/carriers/index.ts";
import { discardDueBefore } from "./discard.ts";
import { countWaiting, listWaiting, readGuard, releaseGuard } from "./sql.ts";

type HeldKind = (typeof HELD_KINDS)[number];

interface HoldRow {
  readonly held_since: number | null;
  readonly held_reason: string | null;
  readonly heartbeat_at: number;
}

interface WaitingRow {
  readonly kind: HeldKind;
  readonly id: string;
  readonly account_id: string;
  readonly mode: "test" | "live";
  readonly to_number: string | null;
  readonly texts: number;
  readonly due_at: number;
}

/** Shows what a restored database would send, and releases the guard. */
export const restoreGuardHandlers: HandlersOf<
  "operator.hold.get" | "operator.hold.texts" | "operator.hold.release",
  Base
> = {
  "operator.hold.get": async ({ deps }) => ({ status: 200, body: await present(deps) }),

  "operator.hold.texts": async ({ deps }, { query }) => {
    const scope = { list: "operator.hold.texts", owner: "operator", filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const [dueAt, id] = page.after ?? [];
    const after = [dueAt === undefined ? null : new Date(dueAt), id ?? null, page.limit + 1];
    const now = new Date(deps.clock.now());
    const shards = Array.from({ length: deps.shards }, (_, shard) => shard);
    const found = await Promise.all(
      shards.map((shard) => deps.db.query<WaitingRow>(listWaiting, [shard, now, ...after])),
    );
    const rows = found.flat().sort((a, b) => a.due_at - b.due_at || (a.id < b.id ? -1 : 1));
    const keyOf = (row: WaitingRow) => [row.due_at, row.id];
    const body = pageAnswer(deps.secrets, scope, page, rows, keyOf, presentWaiting);
    return { status: 200, body };
  },

  "operator.hold.release": async ({ deps, caller, ip, transact }, { body }) => {
    const discarded = momentOf(body.discard_due_before, deps.clock.now());
    const [before] = await deps.db.query<HoldRow>(readGuard, []);
    if (before?.held_since === null) return { status: 200, body: await present(deps) };
    if (discarded !== null) await discardDueBefore(deps, discarded);
    return transact(async (tx) => {
      const { home, timeline } = await readIdentity(tx);
      await tx.query(releaseGuard, [home, timeline]);
      await recordForInstallation(deps, tx, {
        action: "hold.released",
        actor: operatorActor(caller),
        targetId: "installation",
        changes: { discard_due_before: discarded === null ? null : formatTimestamp(discarded) },
        ip,
      });
      return { status: 200 as const, body: await present(deps, { isEnding: true }) };
    });
  },
};

/**
 * Refuses times in the future: probably a typing error, and it would discard messages that nobody has sent.
 */
function momentOf(value: string | number | null, nowMs: number): number | null {
  if (value === null) return null;
  const param = "discard_due_before";
  const ms = parseTimestamp(value);
  if (ms === null) {
    throw new Problem(
      "invalid_request",
      `${param} takes a moment such as 2026-11-16T09:30:00Z, epoch milliseconds, or null.`,
      { param },
    );
  }
  if (ms <= nowMs) return ms;
  throw new Problem(
    "invalid_request",
    `${param} must not be in the future: it is ${formatTimestamp(nowMs)} here. Say when the lost installation stopped; what is due later can be canceled after the release.`,
    { param },
  );
}

async function present(deps: Base, { isEnding } = { isEnding: false }): Promise<Hold> {
  const [row] = await deps.db.query<HoldRow>(readGuard, []);
  const since = isEnding ? null : (row?.held_since ?? null);
  const held = since !== null;
  return {
    object: "hold",
    held,
    reason: held ? (row?.held_reason ?? null) : null,
    since: held ? formatTimestamp(since) : null,
    data_until: held && row ? formatTimestamp(row.heartbeat_at) : null,
    would_send: await countAll(deps),
  };
}

async function countAll(deps: Base): Promise<Hold["would_send"]> {
  const sums = new Map(HELD_KINDS.map((kind) => [kind, { kind, texts: 0, overdue: 0 }]));
  for (let shard = 0; shard < deps.shards; shard += 1) {
    const values = [shard, new Date(deps.clock.now())];
    const rows = await deps.db.query<Hold["would_send"][number]>(countWaiting, values);
    for (const { kind, texts, overdue } of rows) {
      const sum = sums.get(kind);
      if (sum) sums.set(kind, { kind, texts: sum.texts + texts, overdue: sum.overdue + overdue });
    }
  }
  return [...sums.values()];
}

function presentWaiting(row: WaitingRow): HeldText {
  return {
    object: "held_text",
    kind: row.kind,
    id: toApiId(row.kind, row.id),
    account_id: toApiId("account", row.account_id),
    mode: row.mode,
    to: row.to_number,
    texts: row.texts,
    due_at: formatTimestamp(row.due_at),
  };
}

export const RESTORE_GUARD_PATH = "/operator/v1/hold";
const RETRY_AFTER_SECONDS = 60;

/**
 * While the guard is set, reads and the release pass; other requests get 503. A carrier's callback changes something
 * whatever its method, and 503 makes the carrier repeat it.
 */
export function refuseWhileGuarded(method: string, path: string): Problem | null {
  const reads = (method === "GET" || method === "HEAD") && !path.startsWith(CALLBACKS_PATH);
  if (reads || path.startsWith(`${RESTORE_GUARD_PATH}/`)) return null;
  return new Problem(
    "unavailable",
    `The installation's database was restored, and nothing is sent or changed until its operator has released it (POST ${RESTORE_GUARD_PATH}/release).`,
    { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } },
  );
}
