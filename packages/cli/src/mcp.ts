import type { Command } from "commander";
import { openKeyedSession } from "./session.ts";

/** `longwave mcp`: the API as tools for an assistant, over standard input and output. */
export function addMcp(program: Command, version: string): void {
  program
    .command("mcp")
    .summary("serve the API as MCP tools over standard input and output")
    .description(
      "A Model Context Protocol server on standard input and output, with one tool for each operation that the key's scopes allow. A tool that changes anything does so only when it is called with confirm: true.",
    )
    .action(async (_options: object, command: Command) => {
      const { serveMcp } = await import("./mcp-server.ts");
      await serveMcp(openKeyedSession(command), version);
    });
}
