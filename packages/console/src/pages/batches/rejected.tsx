import type { RejectedRow } from "@longwave/sdk";
import { formatCount } from "../../ui/format.ts";

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

/** The API counts rows from 0; a file's first row is its second line. */
function inLines(detail: string): string {
  return detail.replace(/\brow (\d+)/, (_, index) => `line ${formatCount(Number(index) + 2)}`);
}

export function RejectedTable(props: { rejected: readonly RejectedRow[] }) {
  const { rejected } = props;
  return (
    <div className="table-scroll">
      <table className="table">
        <thead>
          <tr>
            <th scope="col" className="right">
              Line
            </th>
            <th scope="col">Number</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {rejected.slice(0, ROWS_SHOWN).map((row) => (
            <tr key={row.index}>
              <td className="right">{formatCount(row.index + 2)}</td>
              <td className="nowrap">{row.to}</td>
              <td>{inLines(row.detail)}</td>
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
