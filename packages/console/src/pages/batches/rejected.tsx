import type { RejectedRow } from "@longwave/sdk";
import { formatCount } from "../../ui/format.ts";
import { inLines } from "./rejected-rows.ts";

const ROWS_SHOWN = 100;

// biome-ignore format: one reason per line, read as a table
const REASONS: Record<RejectedRow["reason"], string> = {
  malformed:          "no number we can text",
  duplicate:          "twice in the file",
  opted_out:          "opted out",
  opt_in_required:    "not opted in",
  topic_unsubscribed: "not subscribed to the topic",
  landline:           "a landline",
  missing_variable:   "a value is missing",
  too_long:           "the text gets too long",
  unknown_contact:    "no such contact",
};

export function reasonWords(reason: string): string {
  return REASONS[reason as RejectedRow["reason"]] ?? reason;
}

export function RejectedTable(props: { rejected: readonly RejectedRow[]; isFile: boolean }) {
  const { rejected, isFile } = props;
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
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {rejected
            .slice(0, ROWS_SHOWN)
            .map(inLines)
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
