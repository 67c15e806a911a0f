import type { AccountRow } from "../src/account/accounts/index.ts";
import type { Kit } from "./kit.ts";

export interface GivenNumber {
  readonly phone: string;
  readonly mode: "test" | "live";
  readonly senderState: "test_only" | "pending" | "active" | "action_needed";
  readonly type: "local" | "toll_free";
  readonly country: "US" | "CA";
  readonly customerId: string | null;
  readonly account: AccountRow;
}

/** Assigns a number to the account without buying it. */
export async function giveNumber(kit: Kit, given: Partial<GivenNumber> = {}): Promise<string> {
  const phone = given.phone ?? "+15005550100";
  const mode = given.mode ?? "test";
  const account = given.account ?? kit.account;
  const now = new Date(kit.deps.clock.now());
  const paidUntil = mode === "live" ? new Date(now.getTime() + 30 * 86_400_000) : null;
  await kit.rows(
    `insert into numbers (id, account_id, shard, phone_number, mode, type, country, area_code, customer_id,
                          sender_state, sender_updated_at, purchased_at, paid_until)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      kit.deps.ids.make(),
      account.id,
      account.shard,
      phone,
      mode,
      given.type ?? "local",
      given.country ?? "US",
      phone.slice(2, 5),
      given.customerId ?? null,
      given.senderState ?? "test_only",
      now,
      now,
      paidUntil,
    ],
  );
  return phone;
}
