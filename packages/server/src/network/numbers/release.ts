import { NUMBER_REST_DAYS, type PhoneNumber } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import { append } from "../events/index.ts";
import { expect } from "../platform/assert.ts";
import { enqueue } from "../queue/task.ts";
import { type NumberRow, presentNumber } from "./number-row.ts";
import { type Changer, numberEvent, ownerOf, recordNumber } from "./purchase.ts";
import { releasedTask } from "./released-task.ts";
import { restedTask } from "./rested-task.ts";
import { leavePools, releaseNumberRow, restStock } from "./sql.ts";

const DAY_MS = 86_400_000;

/** Ends an ownership: the number leaves its pools, and a live one rests before it is sold again. */
export async function releaseNumber(
  deps: Base,
  tx: Tx,
  row: NumberRow,
  changer: Changer,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<PhoneNumber> {
  const now = new Date(deps.clock.now());
  const [gone] = await tx.query<NumberRow>(releaseNumberRow, [row.id, now]);
  const released = expect(gone, "a locked number was released by another");
  await tx.query(leavePools, [row.shard, row.account_id, row.id]);
  if (row.mode === "live") await rest(deps, tx, row);
  if (row.registration_id !== null) await leaveRegistration(deps, tx, row);
  await append(deps, tx, ownerOf(row), [numberEvent("number.released", released)]);
  await recordNumber(deps, tx, row, "number.released", changer, { mode: row.mode, ...changes });
  await notify(tx, "longwave_cache", row.account_id);
  return presentNumber(released, []);
}

/** Afterwards, because whoever holds the row of a number must not wait for those who follow registrations. */
async function leaveRegistration(deps: Base, tx: Tx, row: NumberRow): Promise<void> {
  const { shard, account_id, phone_number, linked_to } = row;
  const payload = { shard, account_id, phone_number, linked_to };
  await enqueue(deps, tx, ownerOf(row), releasedTask, payload, deps.clock.now());
}

/** Whoever texts the number still means its last owner: for a while nobody else gets it. */
async function rest(deps: Base, tx: Tx, row: NumberRow): Promise<void> {
  const restsUntilMs = deps.clock.now() + NUMBER_REST_DAYS * DAY_MS;
  const { id: number_id, phone_number } = row;
  const rested = await tx.query(restStock, [number_id, phone_number, new Date(restsUntilMs)]);
  if (rested.length === 0) return;
  await enqueue(deps, tx, ownerOf(row), restedTask, { number_id, phone_number }, restsUntilMs);
}
