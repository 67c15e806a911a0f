import { createHash } from "node:crypto";

/**
 * Verifies an exported audit log offline, by the rules of docs/audit-log.md. It shares no code with the writer, so that
 * independent programs accept the same exports.
 */

/** A line of the export, parsed from CSV. */
export interface ExportedLine {
  readonly id: string;
  readonly created_at: string;
  readonly action: string;
  readonly actor_type: string;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly changes: string;
  readonly ip: string;
  readonly seq: string;
  readonly previous_hash: string;
  readonly hash: string;
  readonly text: string;
}

export type LogVerdict =
  | {
      readonly ok: true;
      readonly entries: number;
      /** Complete from the first entry on, without gaps. A filtered export is not. */
      readonly isWhole: boolean;
      /** Hash of the last entry: store it, and a later export must contain it. */
      readonly head: string;
    }
  | { readonly ok: false; readonly seq: number; readonly problem: string };

const ENTRY_FORMAT = "longwave-audit-entry/1";

/** `kept` is the head of an earlier export, which this export must contain. */
export function verifyAuditLog(lines: readonly ExportedLine[], kept?: string): LogVerdict {
  let before: ExportedLine | null = null;
  let isWhole = true;
  for (const line of lines) {
    const problem = problemOf(line, before);
    if (problem !== null) return { ok: false, seq: Number(line.seq), problem };
    if (Number(line.seq) !== Number(before?.seq ?? 0) + 1) isWhole = false;
    before = line;
  }
  if (kept !== undefined && !lines.some((line) => line.hash === kept)) {
    const seq = Number(before?.seq ?? 0);
    return { ok: false, seq, problem: "The head that was kept is not in it: entries are missing." };
  }
  return { ok: true, entries: lines.length, isWhole, head: before?.hash ?? "" };
}

function problemOf(line: ExportedLine, before: ExportedLine | null): string | null {
  const seq = Number(line.seq);
  const hash = createHash("sha256").update(line.previous_hash).update(line.text).digest("hex");
  if (hash !== line.hash) return "Its text and previous_hash do not give its hash.";
  if ((seq === 1) !== (line.previous_hash === "")) return "It does not begin where it says.";
  if (before !== null) {
    if (seq <= Number(before.seq)) return "It is out of order.";
    const follows = line.previous_hash === before.hash;
    if (seq === Number(before.seq) + 1 && !follows) return "It does not follow the entry before.";
  }
  const says = fieldsOf(line.text);
  if (says === null) return `Its text is no ${ENTRY_FORMAT}.`;
  const wrong = Object.keys(says).find((field) => says[field] !== shown(line, field));
  return wrong === undefined ? null : `Its text has another ${wrong}.`;
}

/** Fields in the hashed string, as the cells of its line must read. */
function fieldsOf(text: string): Record<string, string> | null {
  try {
    const { format, account_id, changes, ...fields } = JSON.parse(text);
    if (format !== ENTRY_FORMAT || account_id === undefined) return null;
    const cells = Object.entries(fields).map(([name, value]) => [name, String(value ?? "")]);
    return { ...Object.fromEntries(cells), changes: JSON.stringify(changes) };
  } catch {
    return null;
  }
}

/** A cell without its escaping against spreadsheet formulas. */
function shown(line: ExportedLine, field: string): string {
  const cell = line[field as keyof ExportedLine] ?? "";
  if (field === "changes") return JSON.stringify(JSON.parse(cell));
  return cell.startsWith("'") ? cell.slice(1) : cell;
}
