import { type Fragment, raw, sql } from "../../core/db/driver/sql-builder.ts";
import type { ModedAccount } from "../../http/api/modes.ts";

const NIL_CUSTOMER = "'00000000-0000-0000-0000-000000000000'::uuid";

/**
 * Opt-out rule as parts of a statement whose $1 is the shard: joins to the state of the whole account
 * (`ca`) and of one customer (`cc`), and a condition over both. A customer's opt-in overrides the
 * account's opt-out only if it is newer. The `limit` forces a primary key lookup per row; a plan made
 * on the empty table would scan it.
 */
export function consentJoins(columns: {
  readonly accountId: string;
  readonly mode: string;
  readonly phone: string;
  readonly customerId: string;
}): string {
  const state = (customerId: string) => `left join lateral (
         select c.status, c.seq, c.updated_at from consent_states c
          where c.shard = $1 and c.account_id = ${columns.accountId}
            and c.mode = ${columns.mode} and c.phone_number = ${columns.phone} and c.customer_id = ${customerId} limit 1)`;
  return `${state(NIL_CUSTOMER)} ca on true
       ${state(columns.customerId)} cc on true`;
}

export const IS_OPTED_OUT = `(coalesce(cc.status = 'opted_out', false)
              or coalesce(ca.status = 'opted_out', false)
                 and not coalesce(cc.status = 'opted_in' and cc.seq > ca.seq, false))`;

/** Condition: a phone has opted out of the whole account. For statements of other modules. */
export function hasOptedOut(account: ModedAccount, phone: Fragment): Fragment {
  return sql`exists (select 1 from consent_states oo
    where oo.shard = ${account.shard} and oo.account_id = ${account.id} and oo.mode = ${account.mode} and oo.phone_number = ${phone}
      and oo.customer_id = ${raw(NIL_CUSTOMER)} and oo.status = 'opted_out')`;
}
