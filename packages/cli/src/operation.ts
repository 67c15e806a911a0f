/** Supported part of JSON Schema. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Other schema keywords. */
  readonly [keyword: string]: unknown;
}

/** One operation of the API, generated from the contract. */
export interface Operation {
  /** `messages.send`: the SDK's method and, with spaces, the command. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** Required scope; `any_key`, `full_access`, or `operator` for the operator's token. */
  readonly scope: string;
  readonly summary: string;
  readonly description?: string;
  /** Path parameters, in order. */
  readonly params: readonly string[];
  readonly query?: JsonSchema;
  readonly body?: JsonSchema;
  /** The body is a file of this media type. */
  readonly takes?: string;
  readonly bodyOptional?: true;
  readonly isList?: true;
  readonly streams?: true;
  readonly example: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
  };
}

/** `scheduledMessages.list` as ["scheduled-messages", "list"]. */
export function commandWords(operation: Operation): string[] {
  return operation.name.split(".").map(kebab);
}

/** `customer_id` and `customerId` as `customer-id`. */
export function kebab(name: string): string {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-")
    .replaceAll("_", "-")
    .toLowerCase();
}
