import {
  ACCOUNT_REMAINS,
  type AccountDeletion,
  type AccountRemains,
  formatTimestamp,
  Problem,
} from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import { composed, type Fragment, join, sql } from "../../core/db/driver/sql-builder.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";

const DAY_MS = 86_400_000;
const NOBODY = "00000000-0000-0000-0000-000000000000";

/**
 * Days until data that a deletion does not reach is gone; null: until somebody deletes it. The periods are those of
 * the tables' retention.
 */
const REMAIN_DAYS: Readonly<Record<AccountRemains, number | null>> = {
  backups: null,
  carrier_references: 31,
  unmatched_carrier_traffic: 91,
  unreadable_callbacks: 7,
  installation_audit_log: null,
  server_logs: null,
  carrier_records: null,
};

interface DeletionRow {
  readonly id: string;
  readonly deleted_account_id: string;
  readonly name: string;
  readonly status: AccountDeletion["status"];
  readonly canceled: AccountDeletion["canceled"];
  readonly numbers: readonly string[];
  readonly report: Readonly<Record<string, number>>;
  readonly created_at: number;
  readonly completed_at: number | null;
}

const findDeletion = statement(
  "find_account_deletion",
  "select * from account_deletions where id = $1",
);
const findCooldowns = statement(
  "find_cooldowns_of_numbers",
  `select phone_number, cooldown_until from inventory_numbers
    where phone_number = any($1::text[]) and cooldown_until is not null`,
);

/** Reports of deleted accounts. */
export const accountDeletionHandlers: HandlersOf<
  "operator.accountDeletions.list" | "operator.accountDeletions.get"
> = {
  "operator.accountDeletions.list": async ({ deps }, { query }) => {
    const { account_id } = query;
    const scope = {
      ...{ list: "operator.accountDeletions.list", owner: "operator" },
      filters: { account_id },
    };
    const page = pageRequest(deps.secrets, scope, query);
    const conditions: Fragment[] = [sql`true`];
    if (account_id !== undefined) {
      conditions.push(
        sql`deleted_account_id = ${fromApiId("account", account_id) ?? NOBODY}::uuid`,
      );
    }
    if (page.after) conditions.push(sql`id < ${page.after[0]}::uuid`);
    const rows = await deps.db.query<DeletionRow>(
      composed(
        "list_account_deletions",
        sql`select * from account_deletions where ${join(conditions, " and ")}
             order by id desc limit ${page.limit + 1}`,
      ),
    );
    const availableAt = await cooldownsOf(deps.db, rows);
    const body = pageAnswer(
      ...([deps.secrets, scope, page, rows] as const),
      (row) => [row.id],
      (row) => present(row, availableAt),
    );
    return { status: 200, body };
  },

  "operator.accountDeletions.get": async ({ deps }, { params }) => {
    const id = fromApiId("account_deletion", params.id);
    const [row] = id ? await deps.db.query<DeletionRow>(findDeletion, [id]) : [];
    if (!row) {
      throw new Problem(
        "not_found",
        "There is no such deletion. GET /operator/v1/account_deletions lists them.",
      );
    }
    return { status: 200, body: present(row, await cooldownsOf(deps.db, [row])) };
  },
};

/** Ends of the cooldowns of released numbers, by number. */
async function cooldownsOf(
  db: Queryable,
  rows: readonly DeletionRow[],
): Promise<ReadonlyMap<string, number>> {
  const numbers = rows.flatMap((row) => row.numbers);
  if (numbers.length === 0) return new Map();
  const found = await db.query<{ phone_number: string; cooldown_until: number }>(findCooldowns, [
    numbers,
  ]);
  return new Map(found.map((row) => [row.phone_number, row.cooldown_until]));
}

function present(row: DeletionRow, availableAt: ReadonlyMap<string, number>): AccountDeletion {
  return {
    id: toApiId("account_deletion", row.id),
    object: "account_deletion",
    account_id: toApiId("account", row.deleted_account_id),
    name: row.name,
    status: row.status,
    canceled: row.canceled,
    numbers: row.numbers.map((phone_number) => {
      const at = availableAt.get(phone_number);
      return { phone_number, available_at: at === undefined ? null : formatTimestamp(at) };
    }),
    report: Object.entries(row.report).map(([place, records]) => ({ place, records })),
    remains: ACCOUNT_REMAINS.map((place) => {
      const days = REMAIN_DAYS[place];
      const until = days === null ? null : formatTimestamp(row.created_at + days * DAY_MS);
      return { place, until };
    }),
    created_at: formatTimestamp(row.created_at),
    completed_at: row.completed_at === null ? null : formatTimestamp(row.completed_at),
  };
}
