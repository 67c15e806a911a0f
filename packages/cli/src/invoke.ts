import type { Longwave } from "@longwave/sdk";
import type { Operation } from "./operation.ts";

/** Arguments of a call. */
export interface Values {
  readonly params: readonly string[];
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
}

type Method = (...given: unknown[]) => Promise<unknown>;

/** Calls the SDK's method of an operation: ids first, then body, query and options. */
export function invoke(client: Longwave, operation: Operation, values: Values): Promise<unknown> {
  const steps = operation.name.split(".");
  const last = steps.pop() ?? "";
  const owner = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], client);
  const method = (owner as Record<string, Method>)[last];
  if (!method) throw new Error(`The SDK has no ${operation.name}.`);
  const options =
    values.idempotencyKey === undefined ? {} : { idempotencyKey: values.idempotencyKey };
  return method.call(
    owner,
    ...values.params,
    ...(operation.body || operation.takes ? [values.body] : []),
    ...(operation.query ? [values.query ?? {}] : []),
    options,
  );
}
