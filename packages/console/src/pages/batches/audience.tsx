import type { Batch } from "@longwave/sdk";
import { useNameOf } from "../../api/names.ts";
import { NamedLink } from "../../ui/named-link.tsx";
import { Tags } from "../../ui/tags.tsx";

/** Choice of a batch's recipients, as it was when the batch was made. */
export function Audience(props: { batch: Batch }) {
  const { source, segment_id, tags } = props.batch.audience;
  if (source === "recipients") return "List of numbers";
  if (source === "contact_ids") return "Picked contacts";
  if (source === "segment_id") {
    return <>Segment {segment_id === null ? "" : <NamedLink kind="segments" id={segment_id} />}</>;
  }
  return (
    <>
      Any of the tags <Tags tags={tags ?? []} />
    </>
  );
}

/** Person or key that made something, by name. */
export function Creator(props: { id: string }) {
  const name = useNameOf(props.id);
  if (name) return <span className="cut">{name}</span>;
  if (name === undefined) return null;
  return (
    <span className="muted">{props.id.startsWith("usr_") ? "A former member" : "An API key"}</span>
  );
}
