import { useRead } from "../../api/queries.ts";
import type { Choice } from "../../ui/field.tsx";

const CHOICES_MAX = 100;

/** Pools of the account as choices. */
export function usePoolChoices(enabled = true): readonly Choice[] {
  const pools = useRead(
    ["pools", "choices"],
    (api, signal) => api.pools.list({ limit: CHOICES_MAX }, { signal }),
    { enabled },
  );
  return (pools.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
}
