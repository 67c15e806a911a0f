import type { RejectedRow } from "@longwave/sdk";
import { formatCount } from "../../ui/format.ts";
import { inLines } from "./rejected-rows.ts";

const ROWS_SHOWN = 100;

// biome-ignore format: one reason per line, read as a table
const REASONS: Record<RejectedRow["reason"], string> = {
  malformed:          "invalid number",
  duplicate:          "duplicate",
  opted_out:          "opted out",
  opt_in_required:    "not opted in",
  topic_unsubscribed: "not subscribed to the topic",
  landline:           "landline",
  missing_variable:   "missing value",
  too_long:           "text too long",
  unknown_contact:    "unknown contact",
};

export function reasonWords(reason: string): string {
  return REASONS[reason as RejectedRow["reason"]] ?? reason;
}

export function RejectedTable(props: {
  rejected: readonly RejectedRow[];
  firstLine: number | null;
}) {
  const { rejected, firstLine } = props;
  const isFile = firstLine !== null;
  return (
    <div className="table-scroll">
      <table className="table">
        <thead>
          <tr>
            {isFile && (
              <th scope="col" className="right">
                Line
              </th>
            )}
            <th scope="col">Number</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {rejected
            .slice(0, ROWS_SHOWN)
            .map((row) => inLines(row, firstLine ?? 0))
            .map((row) => (
              <tr key={row.line}>
                {isFile && <td className="right">{formatCount(row.line)}</td>}
                <td className="nowrap">{row.to}</td>
                <td>{row.detail}</td>
              </tr>
            ))}
        </tbody>
      </table>
      {rejected.length > ROWS_SHOWN && (
        <p className="card-foot">
          The first {ROWS_SHOWN} of {formatCount(rejected.length)}. The download has them all.
        </p>
      )}
    </div>
  );
}
