import type { Page } from "@longwave/sdk";
import { consoleCall } from "../../api/client.ts";
import type { Tone } from "../../ui/looks.ts";
import { stringifySearch } from "../../ui/search-params.ts";

/** A request of a program; the server logs it for seven days. */
export interface LoggedRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string | null;
  readonly duration_ms: number;
  readonly replayed: boolean;
  readonly key: { readonly id: string; readonly name: string | null };
  readonly created_at: string;
}

type RequestsQuery = Readonly<Record<string, string | number | undefined>>;

/**
 * Page of a search. Each search reads a bounded part of the log: a page may be short or empty and
 * still have a next one.
 */
export interface RequestsPage extends Page<LoggedRequest> {
  readonly searched_to: string | null;
}

export function listRequests(
  scope: readonly string[],
  query: RequestsQuery,
  signal: AbortSignal,
): Promise<RequestsPage> {
  const path = `/${scope.join("/")}/requests${stringifySearch(query)}`;
  return consoleCall<RequestsPage>(path, { signal });
}

export function toneOf(status: number): Tone {
  if (status >= 500) return "red";
  return status >= 400 ? "amber" : "green";
}
