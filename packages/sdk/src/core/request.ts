import { makeIdempotencyKey, sleep } from "./ambient.ts";
import { ConnectionError, DeadlineError, errorFrom } from "./errors.ts";
import { List, type Page } from "./page.ts";
import { type Failure, retryWaitMs } from "./retry.ts";
import { type ClientOptions, type ClientSettings, settingsOf } from "./settings.ts";

/** Paths that take the operator token; all others take an API key. */
const OPERATOR_PATHS = "/operator/";
const TIMEOUT_MS_DEFAULT = 30_000;
const RETRY_DELAYS_MS_DEFAULT = [500, 2_000] as const;

/** Options of a single call. */
export interface CallOptions {
  /** Generated for every POST by default, so that a retry never repeats the work. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retryDelaysMs?: readonly number[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with every response before its body is read. */
  readonly onResponse?: ((response: Response) => void) | undefined;
}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** CSV content: a string, or a Blob from `fs.openAsBlob` or a file input. */
export type FileBody = string | Blob;

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface Call {
  readonly method: Method;
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly file?: FileBody | undefined;
  readonly options?: CallOptions | undefined;
}

/** Kind of call: `list` iterates over pages, `stream` returns the response unread. */
export type Verb = "get" | "list" | "stream" | "post" | "patch" | "delete";

/** Sends a request; every method of the client uses it. */
export type Transport = (
  verb: Verb,
  path: string,
  sent: Pick<Call, "query" | "body" | "file" | "options">,
) => unknown;

export function createTransport(options: ClientOptions): Transport {
  const client = settingsOf(options);
  const json = <T>(call: Call) => send(client, call, (response) => response.json() as Promise<T>);
  return (verb, path, sent) => {
    if (verb === "list") {
      return new List((cursor) => {
        const query = cursor === null ? sent.query : { ...sent.query, cursor };
        return json<Page<unknown>>({ method: "GET", path, ...sent, query });
      });
    }
    if (verb === "stream") {
      return send(client, { method: "GET", path, ...sent }, async (response) => response);
    }
    return json({ method: verb.toUpperCase() as Call["method"], path, ...sent });
  };
}

/** Escapes one path segment. */
export function segment(value: string): string {
  if (value === "" || value === "." || value === "..") {
    throw new TypeError(`${JSON.stringify(value)} cannot be part of a path.`);
  }
  return encodeURIComponent(value);
}

type Read<T> = (response: Response) => Promise<T>;
type Outcome<T> = { readonly value: T } | { readonly failure: Failure };

/** Sends, and retries temporary failures while delays are left. */
async function send<T>(client: ClientSettings, call: Call, read: Read<T>): Promise<T> {
  const delays = call.options?.retryDelaysMs ?? client.retryDelaysMs ?? RETRY_DELAYS_MS_DEFAULT;
  const url = urlOf(client, call);
  const headers = headersOf(client, call);
  for (const delayMs of delays) {
    const outcome = await attempt(client, call, url, headers, read);
    if ("value" in outcome) return outcome.value;
    const waitMs = retryWaitMs(call.method, outcome.failure, delayMs);
    if (waitMs === null) throw outcome.failure;
    await sleep(waitMs, call.options?.signal);
  }
  const last = await attempt(client, call, url, headers, read);
  if ("value" in last) return last.value;
  throw last.failure;
}

async function attempt<T>(
  client: ClientSettings,
  call: Call,
  url: string,
  headers: Record<string, string>,
  read: Read<T>,
): Promise<Outcome<T>> {
  const timeoutMs = call.options?.timeoutMs ?? client.timeoutMs ?? TIMEOUT_MS_DEFAULT;
  const deadline = new AbortController();
  // A stream may outlast the deadline once it has begun, so the timer ends with `read`.
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const caller = call.options?.signal;
  const init: RequestInit = {
    method: call.method,
    headers,
    signal: caller ? AbortSignal.any([deadline.signal, caller]) : deadline.signal,
  };
  if (call.body !== undefined) init.body = JSON.stringify(call.body);
  if (call.file !== undefined) init.body = call.file;
  const fetch = client.fetch ?? globalThis.fetch;
  try {
    const response = await fetch(url, init);
    call.options?.onResponse?.(response);
    if (response.ok) return { value: await read(response) };
    const body = parse(await response.text());
    return { failure: errorFrom({ status: response.status, headers: response.headers, body }) };
  } catch (error) {
    if (caller?.aborted) throw error;
    if (deadline.signal.aborted) return { failure: new DeadlineError(timeoutMs, error) };
    const message = `The exchange with ${new URL(url).origin} broke: ${reasonOf(error)}`;
    return { failure: new ConnectionError(message, error) };
  } finally {
    clearTimeout(timer);
  }
}

/** The cause of `fetch failed` distinguishes a refused connection from an unknown name. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { code?: string; message?: string } | undefined;
  const behind = cause?.code ?? cause?.message;
  return behind ? `${error.message} (${behind})` : error.message;
}

function urlOf(client: ClientSettings, call: Call): string {
  if (call.query === undefined) return client.baseUrl + call.path;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query as Query)) {
    if (value === undefined || value === null) continue;
    if (typeof value !== "object") query.set(name, String(value));
    else
      for (const [key, item] of Object.entries(value)) query.set(`${name}[${key}]`, String(item));
  }
  const text = query.toString();
  return client.baseUrl + call.path + (text === "" ? "" : `?${text}`);
}

/** A plain object: fetch copies it faster than Headers. Lower-case names, so that ours win. */
function headersOf(client: ClientSettings, call: Call): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const given of [client.headers, call.options?.headers]) {
    for (const name in given) headers[name.toLowerCase()] = given[name] ?? "";
  }
  headers["authorization"] = `Bearer ${credentialOf(client, call)}`;
  headers["accept"] = "application/json, text/csv";
  if (call.body !== undefined) headers["content-type"] = "application/json";
  if (call.file !== undefined) headers["content-type"] = "text/csv";
  if (call.method === "POST") {
    headers["idempotency-key"] = call.options?.idempotencyKey ?? makeIdempotencyKey();
  }
  return headers;
}

function credentialOf(client: ClientSettings, call: Call): string {
  const [name, variable] = call.path.startsWith(OPERATOR_PATHS)
    ? (["operatorToken", "LONGWAVE_OPERATOR_TOKEN"] as const)
    : (["apiKey", "LONGWAVE_API_KEY"] as const);
  const credential = client[name];
  if (credential === undefined || credential === "") {
    throw new TypeError(
      `${call.method} ${call.path} needs the client's option ${name}, or the variable ${variable}.`,
    );
  }
  return credential;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
