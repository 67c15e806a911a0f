import { countSegments, splitSegments } from "@longwave/contract/tables";

/** A message cut into segments, with the characters that force UCS-2 marked. */
export function SegmentStrip(props: { body: string }) {
  const parts = splitSegments(props.body);
  const { ucs2Characters } = countSegments(props.body);
  return (
    <div className="stack-tight">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: segments of one message never move
        <p key={index} className="bubble" style={{ maxWidth: "100%" }}>
          {part}
        </p>
      ))}
      {ucs2Characters.length > 0 && (
        <p className="meta">
          Not in the GSM alphabet, so a segment holds 70 characters instead of 160:{" "}
          <strong>{ucs2Characters.join(" ")}</strong>
        </p>
      )}
    </div>
  );
}
