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
  /** Field and sentence of a refusal. */
  readonly param: string | null;
  readonly message: string | null;
  readonly duration_ms: number;
  readonly replayed: boolean;
  readonly key: { readonly id: string; readonly name: string | null };
  readonly created_at: string;
}

/** One request, with the bodies that the server kept: redacted JSON, cut at 2 KB. */
export interface WholeRequest extends LoggedRequest {
  readonly body: string | null;
  readonly answer: string | null;
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

/** Reads one request; null when the log does not have it. */
export async function readRequest(
  scope: readonly string[],
  id: string,
  signal: AbortSignal,
): Promise<WholeRequest | null> {
  const { data } = await listRequests(scope, { request_id: id }, signal);
  return (data[0] as WholeRequest | undefined) ?? null;
}

/** Value of a kept body; null when it was cut. */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** The request as a command that repeats it, with the key in a variable. */
export function curlOf(request: WholeRequest, origin: string): string {
  const { method, path, body } = request;
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(origin + path)}`,
    `-H "Authorization: Bearer $LONGWAVE_KEY"`,
  ];
  const isWhole = body !== null && parsedBody(body) !== null;
  if (isWhole) lines.push(`-H "Content-Type: application/json"`, `-d ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

/** A word of a shell, whatever it contains. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
