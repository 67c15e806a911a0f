import { type Static, Type } from "typebox";
import {
  FILTER_DEPTH_MAX,
  FILTER_FIELDS,
  FILTER_LEAVES_MAX,
  FILTER_OPS,
  type ContactFilter as Filter,
} from "../contact-filter.ts";
import { Id, Nullable, Resource, Timestamp } from "../fields.ts";
import { Contact } from "./contact.ts";

export const ContactFilter = Type.Unsafe<Filter>({
  $id: "ContactFilter",
  type: "object",
  additionalProperties: true,
  description: `One of {"all": […]}, {"any": […]}, {"not": …}, or a condition {"field", "op", "value"}; one key per group. Fields: ${Object.keys(FILTER_FIELDS).join(", ")}, attributes.KEY. Operators: ${FILTER_OPS.join(", ")}. exists takes true or false, is_not also matches who has no value, topic takes a topic's id, text is compared in any case. At most ${FILTER_LEAVES_MAX} conditions, ${FILTER_DEPTH_MAX} deep.`,
});

const size = Nullable(Type.Integer(), {
  description:
    "Contacts that match now, counted for this response; null when the count took too long.",
});

export const Segment = Resource(
  "Segment",
  {
    id: Id("segment"),
    object: Type.Literal("segment"),
    name: Type.String({ description: "A name for your own use." }),
    filter: ContactFilter,
    size,
    created_at: Timestamp(),
  },
  { description: "A saved filter over contacts, evaluated whenever it is used." },
);
export type Segment = Static<typeof Segment>;

export const SegmentPreview = Resource(
  "SegmentPreview",
  {
    object: Type.Literal("segment_preview"),
    size,
    contacts: Type.Array(Contact, { description: "The newest of them, at most five." }),
  },
  { description: "Contacts that a filter matches now. Nothing is saved." },
);
export type SegmentPreview = Static<typeof SegmentPreview>;
