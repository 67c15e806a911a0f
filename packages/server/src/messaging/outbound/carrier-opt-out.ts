import { CONSENT_SOURCE_CARRIER, type Mode } from "@longwave/contract";
import { Type } from "typebox";
import type { Base } from "../../core/base.ts";
import type { Step } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { defineTask, jobStep } from "../../core/queue/task.ts";
import { type ConsentDeps, recordFromPhone } from "../../people/consent/index.ts";
import type { MessageRow } from "../messages/index.ts";
import { isRedacted } from "./redacted-receipts.ts";

const OptOut = Type.Object({
  shard: Type.Integer(),
  account_id: Type.String(),
  message_id: Type.String(),
});

const readOptOut = statement(
  "read_message_of_carrier_opt_out",
  `select mode, to_number, from_number, customer_id, carrier from messages
    where shard = $1 and id = $2 and account_id = $3`,
);

interface OptOutRow {
  readonly mode: Mode;
  readonly to_number: string;
  readonly from_number: string;
  readonly customer_id: string | null;
  readonly carrier: string | null;
}

/**
 * Records an opt-out that only the carrier knew: it refused a message, or failed its receipt, because
 * the person had asked the carrier for no messages. A ledger that has the opt-out already stays.
 */
export const carrierOptOutTask = defineTask<typeof OptOut, ConsentDeps>({
  name: "messages.carrier_opt_out",
  payload: OptOut,
  retryDelaysSeconds: [5, 30, 120, 600, 1_800, 7_200],
  timeoutMs: 30_000,
  async run(deps, { shard, account_id, message_id }) {
    await deps.db.tx(async (tx) => {
      const [row] = await tx.query<OptOutRow>(readOptOut, [shard, message_id, account_id]);
      // An erasure has opted the person out already.
      if (!row || isRedacted(row)) return;
      await recordFromPhone(
        deps,
        tx,
        { shard, accountId: account_id, mode: row.mode },
        {
          phoneNumber: row.to_number,
          customerId: row.customer_id,
          status: "opted_out",
          origin: "carrier",
          source: CONSENT_SOURCE_CARRIER,
          messageId: message_id,
          textedNumber: row.from_number,
          carrier: row.carrier,
        },
      );
    });
    return "done";
  },
});

type OptedOutMessage = Pick<MessageRow, "id" | "account_id" | "from_service">;

/**
 * Steps that enqueue the record of opt-outs in the transaction that ends the messages. The ledger's
 * lock must not be taken here. Messages of the service's own numbers belong to no account's ledger.
 */
export function optOutSteps(
  deps: Pick<Base, "clock" | "ids">,
  shard: number,
  messages: readonly OptedOutMessage[],
): Step[] {
  return messages
    .filter((message) => !message.from_service)
    .map(({ id, account_id }) => {
      const owner = { shard, accountId: account_id };
      const payload = { shard, account_id, message_id: id };
      return jobStep(deps, owner, carrierOptOutTask, payload, deps.clock.now());
    });
}
