import { MACHINES, type Machine } from "../../packages/contract/src/index.ts";
import { MARKDOWN_MARK, markdownTable, type Output } from "./output.ts";

/** Every state machine as a table and as a chart. */
export function statesPage(): Output[] {
  const text = [
    MARKDOWN_MARK,
    "# States",
    "A status changes only along a row of these tables, in one guarded statement that also writes the event.",
    ...MACHINES.map(machineText),
  ].join("\n\n");
  return [{ path: "docs/states.md", text: `${text}\n` }];
}

function machineText(machine: Machine<string>): string {
  const rows = machine.rows.map((row) => [
    `\`${row.from}\``,
    row.on.replaceAll("_", " "),
    `\`${row.to}\``,
    row.emits === null ? "" : `\`${row.emits}\``,
  ]);
  return [
    `## ${machine.name.replaceAll("_", " ")}`,
    `Begins as ${quoted(machine.born)}. Nothing leaves ${quoted(machine.final)}.`,
    markdownTable(["From", "When", "To", "Event"], rows),
    `\`\`\`mermaid\n${chart(machine)}\n\`\`\``,
  ].join("\n\n");
}

function quoted(states: readonly string[]): string {
  return states.map((state) => `\`${state}\``).join(", ");
}

function chart(machine: Machine<string>): string {
  return [
    "stateDiagram-v2",
    ...machine.born.map((state) => `  [*] --> ${state}`),
    ...machine.rows.map((row) => `  ${row.from} --> ${row.to}: ${row.on.replaceAll("_", " ")}`),
    ...machine.final.map((state) => `  ${state} --> [*]`),
  ].join("\n");
}
