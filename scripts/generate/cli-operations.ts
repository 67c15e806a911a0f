import { routes } from "../../packages/contract/src/index.ts";
import type { Json, Schema } from "../../packages/contract/src/openapi/json.ts";
import { CALL_GROUPS, TAGS } from "../../packages/contract/src/tags.ts";
import { type Output, TS_MARK } from "./output.ts";
import { document, type SdkCall, sdkCalls } from "./sdk-calls.ts";

/** Deep enough for every request; a schema that contains itself ends as any value. */
const DEPTH_MAX = 12;

/** Every operation for the command line and the MCP server: names, help and schemas. */
export function cliOperations(): Output[] {
  const calls = sdkCalls(routes);
  const operations = calls.map((call) => JSON.stringify(operationOf(call)));
  const text = [
    TS_MARK,
    'import type { Operation } from "../operation.ts";',
    `export const OPERATIONS: readonly Operation[] = [\n${operations.map((line) => `  ${line},\n`).join("")}];`,
    `/** Purpose of each group of commands, by the path of its names. */\nexport const GROUPS: Readonly<Record<string, string>> = ${JSON.stringify(groupsOf(calls), null, 2)};`,
  ].join("\n\n");
  return [{ path: "packages/cli/src/generated/operations.ts", text: `${text}\n` }];
}

function groupsOf(calls: readonly SdkCall[]): Record<string, string> {
  const paths = calls.flatMap(({ steps }) => steps.slice(1).map((_, at) => steps.slice(0, at + 1)));
  return Object.fromEntries(paths.map((path) => [path.join("."), groupText(path.join("."))]));
}

/** A group has the text of its tag, or one of its own. */
function groupText(group: string): string {
  const tag = Object.entries(TAGS).find(
    ([name]) => name.replaceAll(" ", "").toLowerCase() === group.toLowerCase(),
  );
  const text = CALL_GROUPS[group] ?? tag?.[1];
  if (text === undefined) throw new Error(`The group ${group} needs a line in CALL_GROUPS.`);
  return text;
}

function operationOf(call: SdkCall): Record<string, unknown> {
  const { route } = call;
  return {
    name: call.steps.join("."),
    method: route.method,
    path: route.path,
    scope: route.scope,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    params: call.params,
    ...(call.queryType ? { query: whole(call.queryType.schema) } : {}),
    ...(call.bodyType ? { body: whole(call.bodyType.schema) } : {}),
    ...(route.takes ? { takes: route.takes } : {}),
    ...(route.bodyOptional ? { bodyOptional: true } : {}),
    ...(call.item ? { isList: true } : {}),
    ...(route.streams ? { streams: true } : {}),
    example: exampleOf(call),
  };
}

function exampleOf({ route: { example } }: SdkCall): Record<string, unknown> {
  const { params, query, body } = example;
  return {
    ...(params ? { params } : {}),
    ...(query ? { query } : {}),
    ...(body === undefined ? {} : { body }),
  };
}

/** A schema with its references resolved. */
function whole(schema: Schema, depth = 0): Json {
  if (depth > DEPTH_MAX) return {};
  const name = schema.$ref?.split("/").at(-1);
  const { $ref: _, ...own } = schema as Record<string, Json>;
  if (name !== undefined) {
    return { ...(whole(document.components.schemas[name] ?? {}, depth + 1) as object), ...own };
  }
  return mapped(own, depth);
}

function mapped(value: Json, depth: number): Json {
  if (Array.isArray(value)) return value.map((part) => mapped(part, depth));
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value) return whole(value as Schema, depth);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) =>
      part === undefined ? [] : [[key, mapped(part, depth + 1)]],
    ),
  );
}
