import { List, type Longwave, type Page } from "@longwave/sdk";
import type { Operation } from "./operation.ts";

/** Arguments of a call. */
export interface Values {
  readonly params: readonly string[];
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** Calls of the console, for which the SDK has no methods. */
const CONSOLE_PATHS = "/console/v1/";

type Method = (...given: unknown[]) => Promise<unknown>;

/** Calls the SDK's method of an operation: ids first, then body, query and options. */
export function invoke(client: Longwave, operation: Operation, values: Values): Promise<unknown> {
  const options =
    values.idempotencyKey === undefined ? {} : { idempotencyKey: values.idempotencyKey };
  if (operation.path.startsWith(CONSOLE_PATHS)) return callPath(client, operation, values, options);
  const steps = operation.name.split(".");
  const last = steps.pop() ?? "";
  const owner = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], client);
  const method = (owner as Record<string, Method>)[last];
  if (!method) throw new Error(`The SDK has no ${operation.name}.`);
  return method.call(
    owner,
    ...values.params,
    ...(operation.body || operation.takes ? [values.body] : []),
    ...(operation.query ? [values.query ?? {}] : []),
    options,
  );
}

function callPath(
  client: Longwave,
  { method, path: template, isList }: Operation,
  { params, query, body }: Values,
  options: object,
): Promise<unknown> {
  const ids = [...params];
  const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(ids.shift() ?? ""));
  if (!isList) return client.request(method, path, { body, query, ...options });
  const pages = new List((cursor) => {
    const asked = cursor === null ? query : { ...query, cursor };
    return client.request<Page<unknown>>(method, path, { query: asked, ...options });
  });
  return pages as unknown as Promise<unknown>;
}
