export { lockAccountsMoney, type Money, quotaUsed, takeFreeStep } from "./allowance.ts";
export {
  balanceOf,
  type LedgerEntry,
  type LedgerPlace,
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
export {
  changeSpendLimit,
  type PassedThreshold,
  readSpendLimit,
  type SpendLimitState,
  takePassedThresholds,
} from "./spend-limit.ts";
export { createStandingReader, type Standing, type StandingReader } from "./standing.ts";
export {
  BILLING_OF_ITEM,
  billingAfterMove,
  COST_OF_ITEM,
  countedSoFar,
  HELD_BY_ITEMS,
  holdSets,
  ledgerOfTexts,
  MONEY_VERDICTS,
  NOTHING_COUNTED,
  settledByItems,
  settleSets,
  settlesText,
  takeSets,
  WEIGHING_NOTHING,
  weighing,
} from "./text-sql.ts";
