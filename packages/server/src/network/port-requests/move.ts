import {
  type Move,
  PORT_REQUEST_MOVES,
  type PortRequestStatus,
  Problem,
  parseTimestamp,
} from "@longwave/contract";
import { readAccount } from "../../account/accounts/index.ts";
import { record } from "../../account/audit/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { isUniqueViolation } from "../../core/db/driver/failures.ts";
import type { Statement } from "../../core/db/driver/statement.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { requireNotBlank } from "../../http/api/parse-fields.ts";
import { type Changer, type NumberHandlersDeps, portIn } from "../numbers/index.ts";
import type { PortRequestRow } from "./port-request-row.ts";
import {
  completePortRequest,
  rejectPortRequest,
  reopenPortRequest,
  setFoc,
  submitPortRequest,
} from "./sql.ts";

export interface Step {
  readonly status: PortRequestStatus;
  readonly reason?: string;
  readonly foc_date?: string;
}

/** Transition and statement for each target state. */
const TRANSITIONS: Readonly<Record<PortRequestStatus, { move: Move; statement: Statement }>> = {
  requested: { move: PORT_REQUEST_MOVES.reopen, statement: reopenPortRequest },
  submitted: { move: PORT_REQUEST_MOVES.submit, statement: submitPortRequest },
  foc_set: { move: PORT_REQUEST_MOVES.set_foc, statement: setFoc },
  complete: { move: PORT_REQUEST_MOVES.complete, statement: completePortRequest },
  rejected: { move: PORT_REQUEST_MOVES.reject, statement: rejectPortRequest },
};

/** Fields of each step. Other fields are refused before the request is read. */
export function checkStep({ status, reason, foc_date }: Step): void {
  requireWith("reason", reason, status === "rejected", "Say why it is rejected.", "rejected");
  requireNotBlank(reason, "reason");
  requireWith("foc_date", foc_date, status === "foc_set", "Say on which day it moves.", "foc_set");
  if (foc_date !== undefined && !isDate(foc_date)) {
    throw new Problem("invalid_request", "foc_date must be a date such as 2026-12-01.", {
      param: "foc_date",
    });
  }
}

function requireWith(
  param: string,
  value: string | undefined,
  isWanted: boolean,
  missing: string,
  status: string,
): void {
  if ((value !== undefined) === isWanted) return;
  const message = isWanted
    ? `${param} is missing. ${missing}`
    : `${param} goes with ${status} only.`;
  throw new Problem("invalid_request", message, { param });
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== null;
}

/** Moves a locked port request with all its consequences, in one transaction. */
export async function movePortRequest(
  deps: NumberHandlersDeps,
  tx: Tx,
  before: PortRequestRow,
  step: Step,
  changer: Changer,
): Promise<PortRequestRow> {
  const { move, statement } = TRANSITIONS[step.status];
  if (!move.from.includes(before.status)) throw notFrom(before, step.status, move);
  const [row] = await tx
    .query<PortRequestRow>(statement, await valuesOf(deps, tx, before, step, changer))
    .catch((error) => {
      throw isUniqueViolation(error) ? alreadyOpen(before.phone_number) : error;
    });
  const after = expect(row, "a locked port request is gone");
  await record(deps, tx, {
    shard: after.shard,
    accountId: after.account_id,
    action: "port_request.updated",
    actor: changer.actor,
    targetId: toApiId("port_request", after.id),
    changes: changesOf(before, after),
    ip: changer.ip,
  });
  return after;
}

async function valuesOf(
  deps: NumberHandlersDeps,
  tx: Tx,
  before: PortRequestRow,
  step: Step,
  changer: Changer,
): Promise<unknown[]> {
  const values = [before.id, new Date(deps.clock.now())];
  if (step.status === "foc_set") return [...values, step.foc_date];
  if (step.status === "rejected") return [...values, step.reason];
  if (step.status !== "complete") return values;
  const account = await readAccount(tx, before.account_id);
  const number = await portIn(deps, tx, expect(account, "the account of a port request is gone"), {
    phone: before.phone_number,
    poolIds: before.pool_ids,
    changer,
  });
  return [...values, number.id];
}

function changesOf(before: PortRequestRow, after: PortRequestRow): Record<string, unknown> {
  const fields = (["status", "reason", "foc_date"] as const).filter(
    (field) => before[field] !== after[field],
  );
  return Object.fromEntries(
    fields.map((field) => [field, { from: before[field], to: after[field] }]),
  );
}

function notFrom(before: PortRequestRow, status: PortRequestStatus, move: Move): Problem {
  return new Problem(
    "invalid_state",
    `The port request is ${before.status}; ${status} needs one that is ${move.from.join(" or ")}.`,
  );
}

function alreadyOpen(phone: string): Problem {
  return new Problem("invalid_state", `There is another open port request for ${phone}.`);
}
