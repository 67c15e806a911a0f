import { NUMBER_REST_DAYS, type PhoneNumber } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { expect } from "../../core/platform/assert.ts";
import { enqueue } from "../../core/queue/task.ts";
import { append } from "../../events/log/index.ts";
import { cooldownTask } from "./end-cooldown-task.ts";
import { type NumberRow, presentNumber } from "./number-row.ts";
import { type Changer, numberEvent, ownerOf, recordNumber } from "./purchase.ts";
import { releasedTask } from "./released-task.ts";
import { leavePools, releaseNumberRow, startCooldown } from "./sql.ts";

const DAY_MS = 86_400_000;

/** Releases a number: it leaves its pools, and a live one cools down before it is sold again. */
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
  if (row.mode === "live") await coolDown(deps, tx, row);
  if (row.registration_id !== null) await leaveRegistration(deps, tx, row);
  await append(deps, tx, ownerOf(row), [numberEvent("number.released", released)]);
  await recordNumber(deps, tx, row, "number.released", changer, { mode: row.mode, ...changes });
  await notify(tx, "longwave_cache", row.account_id);
  return presentNumber(deps, released, []);
}

/**
 * Runs as a task, so that a transaction that holds the number's row never waits for the senders
 * lock.
 */
async function leaveRegistration(deps: Base, tx: Tx, row: NumberRow): Promise<void> {
  const { shard, account_id, phone_number, linked_to } = row;
  const payload = { shard, account_id, phone_number, linked_to };
  await enqueue(deps, tx, ownerOf(row), releasedTask, payload, deps.clock.now());
}

/** Cooldown, because people still text the previous owner: no account gets the number meanwhile. */
async function coolDown(deps: Base, tx: Tx, row: NumberRow): Promise<void> {
  const cooldownUntilMs = deps.clock.now() + NUMBER_REST_DAYS * DAY_MS;
  const { id: number_id, phone_number } = row;
  const stocked = await tx.query(startCooldown, [
    number_id,
    phone_number,
    new Date(cooldownUntilMs),
  ]);
  if (stocked.length === 0) return;
  await enqueue(deps, tx, ownerOf(row), cooldownTask, { number_id, phone_number }, cooldownUntilMs);
}
