import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Input, ListQuery, Page, SingleLine } from "../fields.ts";
import { NAME_CHARS_MAX } from "../limits.ts";
import { ContactFilter, Segment, SegmentPreview } from "../schemas/segment.ts";

const TAG = "Segments";
const EXAMPLE_SEGMENT = { id: "seg_01jd0000000000000000000000" };
const EXAMPLE_FILTER = {
  all: [
    { field: "tag", op: "is", value: "vip" },
    { field: "opted_out", op: "is", value: false },
    { not: { field: "attributes.plan", op: "is", value: "free" } },
  ],
} as const;
const segmentParams = Input({ id: Type.String({ description: "The segment's id." }) });
const SegmentName = SingleLine({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  description: "A name for your own use.",
});

export const segmentRoutes = defineRoutes({
  "segments.create": {
    method: "POST",
    path: "/v1/segments",
    heavy: true,
    scope: "contacts",
    tag: TAG,
    summary: "Save a filter over contacts",
    description:
      "An invalid filter is refused with the path of its error, such as filter.all[2].op.",
    body: Input({ name: SegmentName, filter: ContactFilter }),
    answers: { 201: Segment },
    errors: ["limit_reached"],
    example: { body: { name: "Paying VIPs", filter: EXAMPLE_FILTER }, status: 201 },
  },
  "segments.list": {
    method: "GET",
    path: "/v1/segments",
    scope: "contacts",
    tag: TAG,
    summary: "List segments, newest first",
    description: "Every segment with its filter and the number of contacts that match now.",
    query: ListQuery({}),
    answers: { 200: Page(Segment) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "segments.preview": {
    method: "POST",
    path: "/v1/segments/preview",
    heavy: true,
    scope: "contacts",
    tag: TAG,
    summary: "Count whom a filter chooses, without saving it",
    description: "The number of contacts that match now, and the five newest of them.",
    body: Input({ filter: ContactFilter }),
    answers: { 200: SegmentPreview },
    errors: [],
    example: { body: { filter: EXAMPLE_FILTER }, status: 200 },
  },
  "segments.get": {
    method: "GET",
    path: "/v1/segments/{id}",
    scope: "contacts",
    tag: TAG,
    summary: "Read a segment with its size",
    description: "The filter, and the number of contacts that match now.",
    params: segmentParams,
    answers: { 200: Segment },
    errors: ["not_found"],
    example: { params: EXAMPLE_SEGMENT, status: 200 },
  },
  "segments.update": {
    method: "PATCH",
    path: "/v1/segments/{id}",
    heavy: true,
    scope: "contacts",
    tag: TAG,
    summary: "Rename a segment, or change its filter",
    description: "Absent fields stay unchanged.",
    params: segmentParams,
    body: Input({ name: Type.Optional(SegmentName), filter: Type.Optional(ContactFilter) }),
    nullClears: true,
    answers: { 200: Segment },
    errors: ["not_found"],
    example: { params: EXAMPLE_SEGMENT, body: { name: "Gold VIPs" }, status: 200 },
  },
  "segments.delete": {
    method: "DELETE",
    path: "/v1/segments/{id}",
    scope: "contacts",
    tag: TAG,
    summary: "Delete a segment",
    description: "The contacts stay, and so do batches that were made from it.",
    params: segmentParams,
    answers: { 200: Segment },
    errors: ["not_found"],
    example: { params: EXAMPLE_SEGMENT, status: 200 },
  },
});
