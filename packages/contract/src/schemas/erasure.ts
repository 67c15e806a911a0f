import { type Static, Type } from "typebox";
import { ERASURE_STATUSES } from "../enums.ts";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

export const Erasure = Resource(
  "Erasure",
  {
    id: Id("erasure"),
    object: Type.Literal("erasure"),
    status: StringEnum(ERASURE_STATUSES, {
      description: "running until nothing is left; a running erasure survives restarts.",
    }),
    phone_number: Nullable(E164(), {
      description: "The number while the erasure runs; null afterwards, because it is erased too.",
    }),
    phone_hash: Type.String({
      pattern: "^[0-9a-f]{64}$",
      examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
      description:
        "HMAC-SHA-256 of the number with a secret of this installation: finds the erasure again, and keeps the opt-out.",
    }),
    note: Nullable(Type.String(), { description: "Reason of the erasure, as given." }),
    report: Type.Array(
      Type.Object(
        {
          place: Type.String({ description: "Kind of records, such as messages or events." }),
          action: StringEnum(["deleted", "redacted"], {
            description:
              "deleted: the record is gone. redacted: its number and text are, for the bill's sake.",
          }),
          records: Type.Integer({
            description: "How many records of this place were changed so far.",
          }),
        },
        { additionalProperties: false },
      ),
      { description: "Records changed so far, by place; places without any are left out." },
    ),
    waiting: Type.Integer({
      description:
        "Messages and batch rows for this number that have not ended: refused when they are due, then redacted.",
    }),
    created_at: Timestamp(),
    completed_at: Nullable(Timestamp(), {
      description: "Time at which nothing was left, or null.",
    }),
  },
  { description: "Erasure of one phone number in everything that the account stores." },
);
export type Erasure = Static<typeof Erasure>;

export const PersonalData = Resource(
  "PersonalData",
  {
    object: Type.Literal("personal_data"),
    phone_number: E164(),
    exported_at: Timestamp({ description: "Time of the export." }),
    places: Type.Array(
      Type.Object(
        {
          place: Type.String({ description: "Kind of records, such as messages or events." }),
          records: Type.Array(
            Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true }),
            {
              description:
                "Records as stored, in the columns of their table and the order of its key; at most 1,000. Ids are those of the API.",
            },
          ),
          has_more: Type.Boolean({ description: "Whether the place has more records than these." }),
          next_cursor: Nullable(Type.String(), {
            description: "With `place`, gives the next records; null after the last one.",
          }),
        },
        { additionalProperties: false },
      ),
      { description: "Records about the number, by place; places without any are left out." },
    ),
  },
  { description: "Everything that the account stores about one phone number, in both modes." },
);
export type PersonalData = Static<typeof PersonalData>;
