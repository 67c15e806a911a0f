import { countSegments, MESSAGE_BODY_CHARS_MAX } from "@longwave/contract/tables";
import { formatCount, plural } from "../../ui/format.ts";
import { Note } from "../../ui/problem.tsx";

/** Characters, encoding and segments of the message being typed. */
export function SegmentMeter(props: { body: string }) {
  const count = countSegments(props.body);
  const characters = [...props.body].length;
  const isUcs2 = props.body !== "" && count.encoding === "ucs2";
  return (
    <div className="stack-tight">
      <div className="row-apart meta" aria-live="polite">
        <span>
          {props.body === "" ? "0 segments" : plural(count.segments, "segment")} ·{" "}
          {isUcs2 ? "UCS-2" : "GSM-7"}
        </span>
        <span className="tabular">
          {formatCount(characters)} / {formatCount(MESSAGE_BODY_CHARS_MAX)}
        </span>
      </div>
      {isUcs2 && (
        <Note tone="amber">
          <strong>{count.ucs2Characters.join(" ")}</strong> is not in the GSM alphabet, so each
          segment holds 70 characters instead of 160.
        </Note>
      )}
    </div>
  );
}
