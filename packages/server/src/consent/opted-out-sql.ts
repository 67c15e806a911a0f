const NIL_CUSTOMER = "'00000000-0000-0000-0000-000000000000'::uuid";

/**
 * The rule of who may not be texted, as parts of a statement whose $1 is the shard: joins to the
 * state of the whole account (`ca`) and of one customer (`cc`), and the condition over them. A
 * customer's own opt-in counts against the account's opt-out only when it is the newer of the two.
 */
export function consentJoins(columns: {
  readonly accountId: string;
  readonly phone: string;
  readonly customerId: string;
}): string {
  return `left join consent_states ca
         on ca.shard = $1 and ca.account_id = ${columns.accountId}
        and ca.phone_number = ${columns.phone} and ca.customer_id = ${NIL_CUSTOMER}
       left join consent_states cc
         on cc.shard = $1 and cc.account_id = ${columns.accountId}
        and cc.phone_number = ${columns.phone} and cc.customer_id = ${columns.customerId}`;
}

export const IS_OPTED_OUT = `(coalesce(cc.status = 'opted_out', false)
              or coalesce(ca.status = 'opted_out', false)
                 and not coalesce(cc.status = 'opted_in' and cc.seq > ca.seq, false))`;
