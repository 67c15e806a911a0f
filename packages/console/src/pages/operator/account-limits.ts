import type { OperatorAccount } from "@longwave/sdk";

/** Fields as they are typed; an empty one follows the installation's default. */
export interface LimitsForm {
  readonly access: OperatorAccount["live_access"];
  readonly rate: string;
  readonly quota: string;
}

export interface LimitChanges {
  live_access?: OperatorAccount["live_access"];
  rate_limit?: number | null;
  daily_message_quota?: number | null;
}

export function limitsFormOf(account: OperatorAccount): LimitsForm {
  return {
    access: account.live_access,
    rate: account.rate_limit === null ? "" : String(account.rate_limit),
    quota: String(account.daily_message_quota),
  };
}

/** The fields that differ from the account: saving one of them does not pin the defaults of the others. */
export function limitChanges(account: OperatorAccount, form: LimitsForm): LimitChanges {
  const before = limitsFormOf(account);
  const numberOf = (text: string) => (text.trim() === "" ? null : Number(text));
  const changes: LimitChanges = {};
  if (form.access !== before.access) changes.live_access = form.access;
  if (form.rate !== before.rate) changes.rate_limit = numberOf(form.rate);
  if (form.quota !== before.quota) changes.daily_message_quota = numberOf(form.quota);
  return changes;
}
