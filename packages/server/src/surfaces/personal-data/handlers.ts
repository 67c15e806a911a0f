import { type Erasure, formatTimestamp, normalizePhone, Problem } from "@longwave/contract";
import { type Principal, recordBy } from "../../account/accounts/index.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { composed, type Fragment, join, sql } from "../../core/db/driver/sql-builder.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { callerApiId } from "../../http/api/caller.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { requireLiveOnceGranted } from "../../http/api/modes.ts";
import { ownedFinder } from "../../http/api/owned.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { phoneOf } from "../../http/api/phone-input.ts";
import { type ConsentDeps, changeConsent, erasedPhoneHash } from "../../people/consent/index.ts";
import { findContactByPhone, removeContacts } from "../../people/contacts/index.ts";
import { exportPerson } from "./export.ts";
import { PLACES } from "./places.ts";

type Names = "erasures.create" | "erasures.list" | "erasures.get" | "personalData.get";

interface ErasureRow {
  readonly id: string;
  readonly status: Erasure["status"];
  readonly phone_number: string | null;
  readonly phone_hash: Buffer;
  readonly note: string | null;
  readonly report: Readonly<Record<string, number>>;
  readonly waiting: number;
  readonly created_at: number;
  readonly completed_at: number | null;
}

const insertErasure = statement(
  "insert_erasure",
  `insert into erasures (shard, account_id, id, status, phone_number, phone_hash, note, report, due_at, created_at)
   values ($1, $2, $3, 'running', $4, $5, $6, $7, $8, $8)
   on conflict (shard, account_id, phone_hash) where status = 'running' do nothing
   returning *`,
);
const findRunningErasure = statement(
  "find_running_erasure",
  `select * from erasures where shard = $1 and account_id = $2 and phone_hash = $3 and status = 'running'`,
);
const findErasure = statement(
  "find_erasure",
  "select * from erasures where shard = $1 and account_id = $2 and id = $3",
);
const findOwnNumber = statement(
  "find_number_to_erase",
  "select 1 as held from numbers where account_id = $1 and phone_number = $2 limit 1",
);
const erasures = ownedFinder<ErasureRow>("erasure", "erasure");

/** Erasure and export of one phone number. */
export const personalDataHandlers: HandlersOf<Names, ConsentDeps> = {
  "erasures.create": checking(
    (_deps, { body }) => void phoneOf(body.phone_number, "phone_number"),
    async (context, { body }) => {
      const { deps, caller, transact } = context;
      const phone = phoneOf(body.phone_number, "phone_number");
      return transact(async (tx) => {
        const { account } = caller;
        requireLiveOnceGranted(caller, "An erasure");
        await requireForeign(tx, caller, phone);
        const hash = erasedPhoneHash(deps.secrets, account.id, phone);
        const nowMs = deps.clock.now();
        const id = deps.ids.makeAt(nowMs);
        const owner = [account.shard, account.id];
        const values = [...owner, id, phone, hash, body.note ?? null, "{}", new Date(nowMs)];
        const [row] = await tx.query<ErasureRow>(insertErasure, values);
        if (!row) {
          const [running] = await tx.query<ErasureRow>(findRunningErasure, [...owner, hash]);
          return { status: 200, body: present(expect(running, "a running erasure is gone")) };
        }
        // First the contact, then consent: consent locks the account's counters, which come last.
        const contact = await findContactByPhone(tx, account, phone);
        if (contact) await removeContacts(tx, account, [contact.id]);
        await changeConsent(
          deps,
          tx,
          { ...ownerOf(caller), mode: caller.mode },
          {
            ...{ phoneNumber: phone, customerId: null, status: "opted_out", origin: "api" },
            ...{ source: "erasure", recordedBy: callerApiId(caller) },
          },
        );
        const phone_hash = hash.toString("hex");
        await recordBy(context, tx, "erasure.requested", toApiId("erasure", id), { phone_hash });
        await notify(tx, "longwave_cache", account.id);
        return { status: 201, body: present(row) };
      });
    },
  ),

  "erasures.list": async ({ deps, caller }, { query }) => {
    const { account } = caller;
    const phone =
      query.phone_number === undefined ? undefined : phoneOf(query.phone_number, "phone_number");
    const scope = { list: "erasures.list", owner: account.id, filters: { phone } };
    const page = pageRequest(deps.secrets, scope, query);
    const conditions: Fragment[] = [
      sql`shard = ${account.shard} and account_id = ${account.id}::uuid`,
    ];
    if (phone !== undefined) {
      const hash = erasedPhoneHash(deps.secrets, account.id, phone).toString("hex");
      conditions.push(sql`phone_hash = decode(${hash}, 'hex')`);
    }
    if (page.after) conditions.push(sql`id < ${page.after[0]}::uuid`);
    const rows = await deps.db.query<ErasureRow>(
      composed(
        "list_erasures",
        sql`select * from erasures where ${join(conditions, " and ")}
             order by id desc limit ${page.limit + 1}`,
      ),
    );
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], present);
    return { status: 200, body };
  },

  "erasures.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: present(await erasures.inPath(deps.db, findErasure, caller.account, params.id)),
  }),

  "personalData.get": async ({ deps, caller }, { params, query }) => {
    const person = {
      ...ownerOf(caller),
      ...{ mode: caller.mode, phone: phoneOf(params.phone, "phone") },
    };
    return { status: 200, body: await exportPerson(deps, person, query) };
  },
};

function ownerOf({ account }: Principal): { readonly shard: number; readonly accountId: string } {
  return { shard: account.shard, accountId: account.id };
}

/** An own number is in every message of the account: it is no person's. */
async function requireForeign(db: Queryable, { account }: Principal, phone: string): Promise<void> {
  const held = await db.query(findOwnNumber, [account.id, phone]);
  if (held.length === 0) return;
  throw new Problem(
    "invalid_request",
    `${phone} is, or was, a number of this account. Give the number of a person.`,
    { param: "phone_number" },
  );
}

function present(row: ErasureRow): Erasure {
  return {
    id: toApiId("erasure", row.id),
    object: "erasure",
    status: row.status,
    phone_number: row.phone_number === null ? null : normalizePhone(row.phone_number),
    phone_hash: row.phone_hash.toString("hex"),
    note: row.note,
    report: PLACES.flatMap(({ name, redacts }) => {
      const records = row.report[name] ?? 0;
      const action = redacts ? ("redacted" as const) : ("deleted" as const);
      return records === 0 ? [] : [{ place: name, action, records }];
    }),
    waiting: row.waiting,
    created_at: formatTimestamp(row.created_at),
    completed_at: row.completed_at === null ? null : formatTimestamp(row.completed_at),
  };
}
