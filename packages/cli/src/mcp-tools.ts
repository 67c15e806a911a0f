import { UsageError } from "./exit-codes.ts";
import { kebab, type Operation } from "./operation.ts";

/** Choice of tools on the command line. */
export interface ToolChoice {
  /** Also tools that send, spend or change. */
  readonly allowWrites: boolean;
  /** Groups or operations, such as `messages` or `messages.send`; empty for all. */
  readonly tools: readonly string[];
}

/** Operations offered as tools: those of the choice that the key's scopes allow. */
export function chooseOperations(
  operations: readonly Operation[],
  choice: ToolChoice,
  scopes: readonly string[] | null,
): Operation[] {
  const offered = operations.filter(isForAssistants);
  const wanted = choice.tools.length === 0 ? offered : named(offered, choice.tools);
  return wanted.filter(
    (operation) => (choice.allowWrites || isReading(operation)) && isInScope(operation, scopes),
  );
}

/** Operator calls are for people; streams are for files. */
function isForAssistants({ scope, streams }: Operation): boolean {
  return scope !== "operator" && !streams;
}

function isInScope({ scope }: Operation, scopes: readonly string[] | null): boolean {
  return scopes === null || scope === "any_key" || scopes.includes(scope);
}

function named(operations: readonly Operation[], tools: readonly string[]): Operation[] {
  const unknown = tools.find((tool) => !operations.some((one) => isNamed(one, tool)));
  if (unknown === undefined) {
    return operations.filter((one) => tools.some((tool) => isNamed(one, tool)));
  }
  const groups = [...new Set(operations.map(({ name }) => kebab(name.split(".")[0] ?? "")))];
  throw new UsageError(
    `--tools takes groups and operations; there is no ${unknown}. Groups: ${groups.join(", ")}. An operation: messages.list.`,
  );
}

/** `scheduled-messages`, `scheduledMessages` and `messages_send` are all understood. */
function isNamed({ name }: Operation, tool: string): boolean {
  const wanted = plain(tool);
  return plain(name) === wanted || plain(name.split(".")[0] ?? "") === wanted;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

export function isReading({ method }: Operation): boolean {
  return method === "GET";
}
