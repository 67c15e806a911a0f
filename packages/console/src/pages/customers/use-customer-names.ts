import { useCallback } from "react";
import { useRead } from "../../api/queries.ts";
import { shortId } from "../../ui/copy.tsx";
import type { Choice } from "../../ui/field.tsx";

const NAMES_MAX = 100;

function useKnown() {
  const customers = useRead(["customers", "choices"], (api, signal) =>
    api.customers.list({ limit: NAMES_MAX }, { signal }),
  );
  return customers.data?.data;
}

/** How customers are called; those beyond the first hundred by their ids. */
export function useCustomerNames(): (customerId: string) => string {
  const known = useKnown();
  return useCallback((id) => known?.find((each) => each.id === id)?.name ?? shortId(id), [known]);
}

/** The first hundred of them, to choose one of. */
export function useCustomerChoices(): readonly Choice[] {
  return (useKnown() ?? []).map(({ id, name }) => ({ value: id, label: name }));
}
