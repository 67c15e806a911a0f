import { useCallback } from "react";
import { useRead } from "../../api/queries.ts";
import { shortId } from "../../ui/copy.tsx";

const NAMES_MAX = 100;

/** How customers are called; those beyond the first hundred by their ids. */
export function useCustomerNames(): (customerId: string) => string {
  const customers = useRead(["customers", "choices"], (api, signal) =>
    api.customers.list({ limit: NAMES_MAX }, { signal }),
  );
  const known = customers.data?.data;
  return useCallback((id) => known?.find((each) => each.id === id)?.name ?? shortId(id), [known]);
}
