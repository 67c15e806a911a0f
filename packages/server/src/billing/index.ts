export {
  type Balance,
  balanceOf,
  type LedgerEntry,
  type Owner,
  post,
  release,
  reserve,
  settle,
} from "./ledger.ts";
export { dayOf, monthOf, nextMonthMs } from "./periods.ts";
