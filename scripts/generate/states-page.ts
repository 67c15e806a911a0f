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

function machineText(machine: Machine): string {
  const born = Object.entries(machine.born).map(([state, emits]) => birth(state, emits ?? null));
  const rows = machine.rows.map((row) => [
    `\`${row.from}\``,
    row.on.replaceAll("_", " "),
    `\`${row.to}\``,
    row.emits === null ? "" : `\`${row.emits}\``,
    row.money === undefined ? "" : `${row.money}s what is held`,
  ]);
  const end =
    machine.final.length === 0
      ? "Its rows are deleted where they end."
      : `Nothing leaves ${quoted(machine.final)}.`;
  return [
    `## ${machine.name.replaceAll("_", " ")}`,
    `In \`${machine.table}.${machine.column}\`. Begins as ${born.join(", ")}. ${end}`,
    markdownTable(["From", "When", "To", "Event", "Money"], rows),
    `\`\`\`mermaid\n${chart(machine)}\n\`\`\``,
  ].join("\n\n");
}

function birth(state: string, emits: string | null): string {
  return emits === null ? `\`${state}\`` : `\`${state}\` (\`${emits}\`)`;
}

function quoted(states: readonly string[]): string {
  return states.map((state) => `\`${state}\``).join(", ");
}

function chart(machine: Machine): string {
  return [
    "stateDiagram-v2",
    ...Object.keys(machine.born).map((state) => `  [*] --> ${state}`),
    ...machine.rows.map((row) => `  ${row.from} --> ${row.to}: ${row.on.replaceAll("_", " ")}`),
    ...machine.final.map((state) => `  ${state} --> [*]`),
  ].join("\n");
}
