import type { Command } from "commander";
import { openKeyedSession } from "./session.ts";

interface Options {
  readonly allowWrites?: boolean;
  readonly ask: boolean;
  readonly tools?: string;
}

/** `longwave mcp`: the API as tools for an assistant, over standard input and output. */
export function addMcp(program: Command, version: string): void {
  program
    .command("mcp")
    .summary("serve the API as MCP tools over standard input and output")
    .description(
      "A Model Context Protocol server on standard input and output, with one tool for each operation that the key's scopes allow. Its tools only read; --allow-writes adds those that send, spend or change, and each of their calls asks the person first. Text that other people wrote is marked as untrusted.",
    )
    .option("--allow-writes", "also tools that send, spend or change")
    .option("--no-ask", "do not ask the person: for clients that ask before every tool")
    .option("--tools <names>", "only these groups or operations: messages,contacts.list")
    .action(async ({ allowWrites, ask, tools }: Options, command: Command) => {
      const { serveMcp } = await import("./mcp-server.ts");
      await serveMcp(openKeyedSession(command), version, {
        allowWrites: allowWrites === true,
        asks: ask,
        tools: (tools ?? "").split(",").filter((name) => name.trim() !== ""),
      });
    });
}
