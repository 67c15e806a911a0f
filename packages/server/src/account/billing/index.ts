export {
  lockAccountsMoney,
  type Money,
  quotaUsed,
  takeFreeVerificationsStep,
} from "./allowance.ts";
export { type BalanceReader, type BalanceSummary, createBalanceReader } from "./balance-reader.ts";
export {
  BILLING_OF_ITEM,
  billingAfterMove,
  COST_OF_ITEM,
  correctSets,
  debitSets,
  FUNDS_REFUSALS,
  NOTHING_REMAINING_OR_USED,
  PRICING_NOTHING,
  postCostCorrections,
  postMessages,
  pricing,
  RESERVED_BY_ITEMS,
  remainingAndUsed,
  reserveSets,
  settledByItems,
  settleSets,
  settlesMessage,
} from "./charge-messages.ts";
export {
  balanceOf,
  type LedgerCursor,
  type LedgerEntry,
  type LedgerRow,
  listLedger,
  type MoneyRefusal,
  post,
  release,
  reserve,
  settle,
  spentOf,
} from "./ledger.ts";
export { overQuota, overSpendLimit } from "./over-limit.ts";
export { tariffOf } from "./tariff.ts";
