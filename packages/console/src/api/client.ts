import { type ApiError, type ErrorAnswer, errorFrom, Longwave } from "@longwave/sdk";
import { BACKGROUND_HEADER, consoleFetch } from "./console-fetch.ts";
import { consolePath, type Mode } from "./console-path.ts";

export type { Mode } from "./console-path.ts";

/**
 * The SDK over the console's routes: `/v1/x` becomes `/console/v1/{account}/{mode}/x`, the same
 * route with the reader's session instead of a key.
 */
export function createClient(account: string, mode: Mode): Longwave {
  return new Longwave({
    apiKey: "session",
    operatorToken: "session",
    baseUrl: location.origin,
    fetch: (input, init = {}) =>
      consoleFetch(consolePath(init.method ?? "GET", new URL(String(input)), account, mode), init),
  });
}

export const background = { headers: { [BACKGROUND_HEADER]: "1" } } as const;

export interface ConsoleCall {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
}

/** Calls a route of the console itself, such as `/session`. */
export async function consoleCall<T>(path: string, call: ConsoleCall = {}): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (call.body !== undefined) headers["content-type"] = "application/json";
  if (call.idempotencyKey !== undefined) headers["idempotency-key"] = call.idempotencyKey;
  const init: RequestInit = { method: call.method ?? "GET", headers };
  if (call.body !== undefined) init.body = JSON.stringify(call.body);
  if (call.signal) init.signal = call.signal;
  const response = await consoleFetch(`/console/v1${path}`, init);
  if (response.ok) return (await response.json()) as T;
  throw await problemOf(response);
}

async function problemOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const answer: ErrorAnswer = { status: response.status, headers: response.headers, body };
  return errorFrom(answer);
}
