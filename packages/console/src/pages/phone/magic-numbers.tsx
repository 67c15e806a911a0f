import { formatPhone } from "../../ui/format.ts";
import { MAGIC_NUMBERS } from "./magic.ts";

/** Sandbox recipients by outcome: picking an outcome fills in its number. */
export function MagicNumbers(props: { onPick: (phone: string) => void }) {
  return (
    <select
      className="select"
      aria-label="Pick a sandbox outcome"
      value=""
      onChange={(event) => event.target.value && props.onPick(event.target.value)}
    >
      <option value="">Pick a sandbox outcome…</option>
      {MAGIC_NUMBERS.map((each) => (
        <option key={each.phone} value={each.phone}>
          {`${formatPhone(each.phone)} · ${each.outcome}`}
        </option>
      ))}
    </select>
  );
}
