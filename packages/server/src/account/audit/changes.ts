import { isDeepStrictEqual } from "node:util";

/**
 * The fields of a resource that are different now, as they are now: what the audit log says of a change.
 * null: none is, so there is nothing to write and nothing to tell.
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
