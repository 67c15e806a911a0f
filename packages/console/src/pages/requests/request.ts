import type { Page } from "@longwave/sdk";
import { consoleCall } from "../../api/client.ts";
import type { Tone } from "../../ui/looks.ts";
import { stringifySearch } from "../../ui/search-params.ts";

/** One call of a program, as the server remembers it for seven days. */
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

export function listRequests(
  scope: readonly string[],
  query: Readonly<Record<string, string | number | undefined>>,
  signal: AbortSignal,
): Promise<Page<LoggedRequest>> {
  const path = `/${scope.join("/")}/requests${stringifySearch(query)}`;
  return consoleCall<Page<LoggedRequest>>(path, { signal });
}

export function toneOf(status: number): Tone {
  if (status >= 500) return "red";
  return status >= 400 ? "amber" : "green";
}
