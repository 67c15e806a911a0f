import { makeBatch } from "./batches.ts";
import { giveNumber } from "./give-number.ts";
import type { Kit } from "./kit.ts";
import { assertMoneyAddsUp } from "./ledger-invariants.ts";
import { goLive, secondAccount } from "./live.ts";
import { assertMessagesWhole } from "./message-invariants.ts";
import { suiteKit } from "./suite.ts";
import { createTestCarrier, type TestCarrier } from "./test-carrier.ts";

const FREE_TEXTS = 100;

export interface LiveStage {
  /** The suite's server as one test's account. */
  readonly kit: Kit;
  readonly carrier: TestCarrier;
  readonly from: string;
}

/** One server for many tests. Each test has its own account and uses the carrier alone. */
export function suiteStage(env: Readonly<Record<string, string>>) {
  const carrier = createTestCarrier();
  const window = carrier.window;
  const server = suiteKit(env, { carriers: carrier });
  let accounts = 0;
  return async (creditUsd = 10): Promise<LiveStage> => {
    const kit = await secondAccount(server());
    accounts += 1;
    carrier.submitted.length = 0;
    Object.assign(carrier, { answers: [], window });
    await goLive(kit, creditUsd);
    const from = `+1415555${1_000 + accounts}`;
    await giveNumber(kit, { phone: from, mode: "live", senderState: "active" });
    return { kit, carrier, from };
  };
}

export function liveBatch(
  { kit, from }: Pick<LiveStage, "kit" | "from">,
  to: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
) {
  return makeBatch(kit, to, { from, ...more }, { key: kit.liveKey });
}

/** Uses up the free messages of the month. */
export async function useUpAllowance(kit: Kit): Promise<void> {
  const month = new Date(kit.deps.clock.now()).toISOString().slice(0, 7);
  await kit.rows(
    "update account_counters set texts_used = $1, allowance_month = $2::date where account_id = $3",
    [FREE_TEXTS, `${month}-01`, kit.account.id],
  );
}

/** The account's counters, after checking all ledgers and messages. */
export async function money(kit: Kit) {
  await assertMoneyAddsUp(kit.rows);
  await assertMessagesWhole(kit.rows);
  const [row] = await kit.rows(
    "select balance_micros, reserved_micros, texts_used, quota_used from account_counters where account_id = $1",
    [kit.account.id],
  );
  return row;
}
