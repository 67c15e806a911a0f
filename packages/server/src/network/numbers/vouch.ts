import { formatTimestamp, normalizePhone, type OperatorSender, Problem } from "@longwave/contract";
import { operatorActor } from "../../account/accounts/index.ts";
import { changesBetween } from "../../account/audit/index.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import type { NumberHandlersDeps } from "./deps.ts";
import { lockNumber, numberOf } from "./find.ts";
import { followRegistrations } from "./follow-registrations.ts";
import { lockSenderStates } from "./move-senders.ts";
import { type NumberRow, presentSender } from "./number-row.ts";
import { type Changer, recordNumber } from "./purchase.ts";
import { storeVouch } from "./registration-sql.ts";
import { isRegisterable } from "./sender.ts";
import { findLiveSenderRow } from "./sql.ts";

type Names = "operator.numbers.vouch" | "operator.numbers.endVouch";

interface Vouch {
  readonly reason: string;
  readonly reference: string;
}

export const operatorNumberHandlers: HandlersOf<Names, NumberHandlersDeps> = {
  "operator.numbers.vouch": async ({ deps, caller, ip, transact }, { params, body }) =>
    transact(async (tx) => {
      const { account, row } = await lockLiveNumber(tx, params.number);
      if (!isRegisterable(deps.config.tollFree, row.mode, row.type, row.country)) {
        throw new Problem(
          "number_not_registerable",
          `${row.phone_number} needs no registration, and so no word of the operator.`,
        );
      }
      const changer = { actor: operatorActor(caller), ip };
      const { reason, reference } = body;
      return {
        status: 200,
        body: await changeVouch(deps, tx, account, row, { reason, reference }, changer),
      };
    }),

  "operator.numbers.endVouch": async ({ deps, caller, ip, transact }, { params }) =>
    transact(async (tx) => {
      const { account, row } = await lockLiveNumber(tx, params.number);
      if (row.vouched_at === null) {
        throw new Problem("not_found", `The operator does not vouch for ${row.phone_number}.`);
      }
      const changer = { actor: operatorActor(caller), ip };
      return { status: 200, body: await changeVouch(deps, tx, account, row, null, changer) };
    }),
};

/** The live number that a path names, of any account, locked with its account's senders; or 404. */
async function lockLiveNumber(
  tx: Tx,
  given: string,
): Promise<{ account: AccountRef; row: NumberRow }> {
  const phone = normalizePhone(given);
  const [holder] = phone
    ? await tx.query<{ account_id: string; shard: number }>(findLiveSenderRow, [phone])
    : [];
  if (!holder) throw new Problem("not_found", `No account holds ${given.slice(0, 64)} live.`);
  const account = { id: holder.account_id, shard: holder.shard };
  await lockSenderStates(tx, account);
  const row = await lockNumber(tx, account, given);
  if (row.mode === "live") return { account, row };
  throw new Problem("not_found", `No account holds ${row.phone_number} live.`);
}

/** Stores or ends (null) a vouch, with the sender state that follows and one audit entry. */
async function changeVouch(
  deps: NumberHandlersDeps,
  tx: Tx,
  account: AccountRef,
  before: NumberRow,
  vouch: Vouch | null,
  changer: Changer,
): Promise<OperatorSender> {
  const isSame =
    before.vouch_reason === (vouch?.reason ?? null) &&
    before.vouch_reference === (vouch?.reference ?? null);
  if (!isSame) {
    const now = new Date(deps.clock.now());
    const values = [vouch?.reason ?? null, vouch?.reference ?? null, vouch === null ? null : now];
    await tx.query(storeVouch, [before.id, ...values]);
    await followRegistrations(deps, tx, account, await deps.registrationStates(tx, account));
  }
  const after = await numberOf(tx, account, before.phone_number);
  const changes = changesBetween(audited(before), audited(after));
  if (changes !== null) {
    const action = vouch === null ? "number.vouch_ended" : "number.vouched";
    await recordNumber(deps, tx, after, action, changer, changes);
  }
  return presentForOperator(after);
}

function audited({ sender_state, vouch_reason, vouch_reference }: NumberRow) {
  return { sender_state, reason: vouch_reason, reference: vouch_reference };
}

function presentForOperator(row: NumberRow): OperatorSender {
  const { vouch_reason: reason, vouch_reference: reference, vouched_at } = row;
  const hasVouch = reason !== null && reference !== null && vouched_at !== null;
  return {
    object: "operator_sender",
    account_id: toApiId("account", row.account_id),
    phone_number: row.phone_number,
    sender: presentSender(row),
    vouch: hasVouch ? { reason, reference, vouched_at: formatTimestamp(vouched_at) } : null,
  };
}
