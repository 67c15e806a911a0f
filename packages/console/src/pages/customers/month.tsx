import type { ReactNode } from "react";
import { useAccount } from "../../api/account.tsx";
import { consoleCall } from "../../api/client.ts";
import { useRead } from "../../api/queries.ts";
import { readTogether } from "../../api/read-together.ts";
import { formatCount, formatUsd } from "../../ui/format.ts";

interface CustomerMonth {
  readonly customer_id: string;
  readonly messages: number;
  readonly spent_usd: number;
}

const readMonth = readTogether<CustomerMonth>(async (place, ids) => {
  const query = new URLSearchParams({ ids: ids.join(",") });
  const path = `/${place}/customer-months?${query}`;
  const answer = await consoleCall<{ readonly data: readonly CustomerMonth[] }>(path);
  return new Map(answer.data.map((month) => [month.customer_id, month]));
});

/** Traffic of a customer since the start of the calendar month; rows shown together share one call. */
function useMonth(id: string): CustomerMonth | null | undefined {
  const { scope } = useAccount();
  return useRead(["customers", "month", id], () => readMonth(scope.join("/"), id)).data;
}

export function MonthMessages(props: { customerId: string }): ReactNode {
  const month = useMonth(props.customerId);
  return month ? formatCount(month.messages) : <span className="muted">–</span>;
}

export function MonthSpend(props: { customerId: string }): ReactNode {
  const month = useMonth(props.customerId);
  return month ? formatUsd(month.spent_usd) : <span className="muted">–</span>;
}
