import { type ContactImport, Problem, type RouteInput } from "@longwave/contract";
import type { Principal } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { callerApiId } from "../../http/api/caller.ts";
import { accountIn } from "../../http/api/modes.ts";
import type { ConsentDeps } from "../consent/index.ts";
import { ContactFault, type ContactInput, readContact } from "./read-input.ts";
import { countImport, findImport } from "./sql.ts";
import { writeContacts } from "./write.ts";

export type ImportInput = RouteInput<"contacts.import">["body"];

/** Valid row of an import and its index. */
export interface ValidRow {
  readonly index: number;
  readonly given: ContactInput;
}

export interface InvalidRow {
  readonly index: number;
  readonly fault: ContactFault;
}

/** Parses every row into valid and invalid rows. */
export function readRows(deps: Base, rows: ImportInput["contacts"]) {
  const good: ValidRow[] = [];
  const bad: InvalidRow[] = [];
  rows.forEach((row, index) => {
    const read = readContact(deps, row);
    if (read.ok) good.push({ index, given: read.given });
    else bad.push({ index, fault: read.fault });
  });
  return { good, bad };
}

export function presentSkipped(bad: readonly InvalidRow[]): ContactImport["skipped"] {
  return [...bad]
    .sort((a, b) => a.index - b.index)
    .map(({ index, fault }) => ({ index, value: fault.value, reason: fault.message }));
}

/** POST /contacts/import: writes all valid rows in one transaction. */
export async function importContacts(
  deps: ConsentDeps,
  tx: Tx,
  caller: Principal,
  input: ImportInput,
): Promise<ContactImport> {
  const { account } = caller;
  const now = deps.clock.now();
  const importId =
    input.import_id === undefined
      ? deps.ids.makeAt(now)
      : await importOf(tx, account, input.import_id);
  const { good, bad } = readRows(deps, input.contacts);
  const given = good.map((row) => row.given);
  const results =
    given.length === 0
      ? []
      : await writeContacts(deps, tx, accountIn(caller), given, callerApiId(caller));
  const counts = { created: 0, updated: 0, opted_out: 0 };
  results.forEach((result, position) => {
    const row = good[position] as ValidRow;
    if (result instanceof ContactFault) bad.push({ index: row.index, fault: result });
    else {
      counts[result] += 1;
      if (row.given.optIn?.status === false) counts.opted_out += 1;
    }
  });
  // Last, because parallel requests of one import contend for its row.
  const [stored] = await tx.query<{ name: string | null }>(countImport, [
    account.shard,
    account.id,
    importId,
    input.name ?? null,
    counts.created,
    counts.updated,
    bad.length,
    counts.opted_out,
    new Date(now),
  ]);
  return {
    object: "contact_import",
    ...counts,
    skipped: presentSkipped(bad),
    import_id: toApiId("contact_import", importId),
    name: stored?.name ?? null,
  };
}

/** UUID of the import that a request continues, or 400. */
export async function importOf(db: Queryable, account: AccountRef, apiId: string): Promise<string> {
  const id = fromApiId("contact_import", apiId);
  const [row] = id ? await db.query(findImport, [account.shard, account.id, id]) : [];
  if (id && row) return id;
  throw new Problem(
    "invalid_request",
    `There is no import ${apiId.slice(0, 64)}. Leave import_id out to begin one.`,
    { param: "import_id" },
  );
}
