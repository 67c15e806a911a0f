import { ApiError, ConnectionError } from "@longwave/sdk";
import { type CallToolResult, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { OPERATIONS } from "./generated/operations.ts";
import { invoke } from "./invoke.ts";
import type { JsonSchema, Operation } from "./operation.ts";
import type { Session } from "./session.ts";

const INSTRUCTIONS =
  "Longwave sends and receives text messages. Tools that only read can be called freely. Every tool that sends, spends or changes anything does nothing until it is called with confirm: true: show the person what will happen first. With dry_run: true no confirmation is needed. Numbers +1 500 555 0000 to 0020 are simulated phones.";

/** Serves until the client disconnects. */
export async function serveMcp(session: Session, version: string): Promise<void> {
  const { key } = await session.client.account.get();
  const scopes = key?.scopes ?? null;
  const operations = OPERATIONS.filter((operation) => isAllowed(operation, scopes));
  const ended = new Promise<void>((resolve) => process.stdin.once("end", resolve));
  const handle = serveStdio(() => {
    const server = new McpServer({ name: "longwave", version }, { instructions: INSTRUCTIONS });
    for (const operation of operations) addTool(server, session, operation);
    return server;
  });
  await ended;
  await handle.close();
}

/** Operations that the key may call. Operator calls are for people; streams are for files. */
function isAllowed(operation: Operation, scopes: readonly string[] | null): boolean {
  if (operation.scope === "operator" || operation.streams) return false;
  return scopes === null || operation.scope === "any_key" || scopes.includes(operation.scope);
}

function addTool(server: McpServer, session: Session, operation: Operation): void {
  const about = operation.description ? ` ${operation.description}` : "";
  server.registerTool(
    operation.name.replaceAll(".", "_"),
    {
      title: operation.summary,
      description: `${operation.summary}.${about} (${operation.method} ${operation.path})`,
      inputSchema: fromJsonSchema<Record<string, unknown>>(inputSchema(operation) as never),
      annotations: {
        readOnlyHint: isReading(operation),
        destructiveHint: operation.method === "DELETE",
        openWorldHint: !isReading(operation),
      },
    },
    (given: Record<string, unknown>) => call(session, operation, given),
  );
}

function isReading(operation: Operation): boolean {
  return operation.method === "GET";
}

/** Ids, query and body merged into one object. */
export function inputSchema(operation: Operation): JsonSchema & { additionalProperties: boolean } {
  const ids = operation.params.map((name): [string, JsonSchema] => [
    name,
    { type: "string", description: `Stands in the path: ${operation.path}` },
  ]);
  const confirm: JsonSchema = {
    type: "boolean",
    description: "true: do it. Anything else: only tell what would be done.",
  };
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(ids),
      ...operation.query?.properties,
      ...operation.body?.properties,
      ...(isReading(operation) ? {} : { confirm }),
    },
    required: [
      ...operation.params,
      ...(operation.query?.required ?? []),
      ...(operation.body?.required ?? []),
    ],
    additionalProperties: false,
  };
}

async function call(
  session: Session,
  operation: Operation,
  { confirm, ...given }: Record<string, unknown>,
): Promise<CallToolResult> {
  const isDryRun = "dry_run" in (operation.body?.properties ?? {}) && given["dry_run"] === true;
  if (!isReading(operation) && !isDryRun && confirm !== true) {
    return said(
      `Nothing was done. This would call ${operation.method} ${operation.path} with ${JSON.stringify(given)}. Call it again with confirm: true to do it.`,
      true,
    );
  }
  const part = (schema: JsonSchema | undefined) =>
    Object.fromEntries(
      Object.entries(given).filter(([name]) => name in (schema?.properties ?? {})),
    );
  try {
    const answer = await invoke(session.client, operation, {
      params: operation.params.map((name) => String(given[name])),
      query: part(operation.query),
      body: bodyOf(operation, part(operation.body)),
    });
    return said(JSON.stringify(answer), false);
  } catch (error) {
    if (error instanceof ApiError) return said(JSON.stringify(error.body), true);
    if (error instanceof ConnectionError) return said(error.message, true);
    throw error;
  }
}

function bodyOf(operation: Operation, body: Record<string, unknown>): unknown {
  if (!operation.body) return undefined;
  return operation.bodyOptional && Object.keys(body).length === 0 ? undefined : body;
}

function said(text: string, isError: boolean): CallToolResult {
  return { content: [{ type: "text", text }], isError };
}
