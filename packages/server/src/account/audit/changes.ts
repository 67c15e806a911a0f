import { isDeepStrictEqual } from "node:util";

/** Value of a field before and after a change; null: it had none. */
export interface FieldChange {
  readonly from: unknown;
  readonly to: unknown;
}

export type FieldChanges = Readonly<Record<string, FieldChange>>;

/**
 * Fields of a resource that changed, for the audit entry. null: no field changed, so there is no entry and no event.
 */
export function changesBetween<Shown extends object>(
  before: Shown,
  after: Shown,
): FieldChanges | null {
  const changed = Object.entries(after).flatMap(([field, to]) => {
    const from = before[field as keyof Shown];
    return isDeepStrictEqual(to, from) ? [] : [[field, { from: from ?? null, to }] as const];
  });
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

/** One shape for all entries: a plain value is new, or, in a deletion, the last. */
export function shapedChanges(
  action: string,
  changes: Readonly<Record<string, unknown>>,
): FieldChanges {
  const isEnd = action.endsWith(".deleted");
  return Object.fromEntries(
    Object.entries(changes).map(([field, value]) => {
      if (isFieldChange(value)) return [field, value];
      return [field, isEnd ? { from: value, to: null } : { from: null, to: value ?? null }];
    }),
  );
}

function isFieldChange(value: unknown): value is FieldChange {
  if (typeof value !== "object" || value === null) return false;
  return Object.keys(value).length === 2 && "from" in value && "to" in value;
}
