import type { Longwave, OperatorAccount, OperatorRegistration } from "@longwave/sdk";

const PAGE_ITEMS = 100;
const PAGES_MAX = 5;

/** Registrations in review, oldest first. */
export async function waitingRegistrations(
  api: Longwave,
  signal: AbortSignal,
): Promise<OperatorRegistration[]> {
  const [submitted, inReview] = await Promise.all([
    readAll((cursor) =>
      api.operator.registrations.list(
        { status: "submitted", limit: PAGE_ITEMS, cursor },
        { signal },
      ),
    ),
    readAll((cursor) =>
      api.operator.registrations.list(
        { status: "in_review", limit: PAGE_ITEMS, cursor },
        { signal },
      ),
    ),
  ]);
  return [...submitted, ...inReview].toSorted((a, b) => a.updated_at.localeCompare(b.updated_at));
}

/** Accounts with an open live access request, oldest first. */
export async function waitingAccounts(
  api: Longwave,
  signal: AbortSignal,
): Promise<OperatorAccount[]> {
  const found = await readAll((cursor) =>
    api.operator.accounts.list({ live_access: "requested", limit: PAGE_ITEMS, cursor }, { signal }),
  );
  return found.toSorted((a, b) => requestedAt(a).localeCompare(requestedAt(b)));
}

export function requestedAt(account: OperatorAccount): string {
  return account.live_access_request?.requested_at ?? account.created_at;
}

interface Answer<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

async function readAll<T>(
  read: (cursor: string | undefined) => PromiseLike<Answer<T>>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await read(cursor);
    all.push(...answer.data);
    if (answer.next_cursor === null) break;
    cursor = answer.next_cursor;
  }
  return all;
}
