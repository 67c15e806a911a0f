import { useCallback } from "react";
import { useRead } from "../../api/queries.ts";
import { shortId } from "../../ui/copy.tsx";
import type { Choice } from "../../ui/field.tsx";

const NAMES_MAX = 100;

function useCustomers() {
  const customers = useRead(["customers", "choices"], (api, signal) =>
    api.customers.list({ limit: NAMES_MAX }, { signal }),
  );
  return customers.data?.data;
}

/** Customer names by id. Customers beyond the first hundred show their id. */
export function useCustomerNames(): (customerId: string) => string {
  const customers = useCustomers();
  return useCallback(
    (id) => customers?.find((each) => each.id === id)?.name ?? shortId(id),
    [customers],
  );
}

/** The first hundred customers as choices. */
export function useCustomerChoices(): readonly Choice[] {
  return (useCustomers() ?? []).map(({ id, name }) => ({ value: id, label: name }));
}
