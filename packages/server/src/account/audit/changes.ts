import { isDeepStrictEqual } from "node:util";

/**
 * Fields of a resource that changed, with their new values, for the audit entry. null: no field changed, so there is no
 * entry and no event.
 */
export function changesBetween<Shown extends object>(
  before: Shown,
  after: Shown,
): Partial<Shown> | null {
  const changed = Object.entries(after).filter(
    ([field, value]) => !isDeepStrictEqual(value, before[field as keyof Shown]),
  );
  return changed.length === 0 ? null : (Object.fromEntries(changed) as Partial<Shown>);
}
