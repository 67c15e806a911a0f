import { type Static, Type } from "typebox";
import { Id, Nullable, Resource, Timestamp } from "../fields.ts";
import { METADATA_KEY_CHARS_MAX, METADATA_KEYS_MAX, METADATA_VALUE_CHARS_MAX } from "../limits.ts";

/** Strings by key, stored and returned unchanged. */
export const Metadata = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", maxLength: METADATA_VALUE_CHARS_MAX },
  propertyNames: { minLength: 1, maxLength: METADATA_KEY_CHARS_MAX },
  maxProperties: METADATA_KEYS_MAX,
  description: `At most ${METADATA_KEYS_MAX} keys of at most ${METADATA_KEY_CHARS_MAX} characters, each with a text of at most ${METADATA_VALUE_CHARS_MAX}.`,
});

/** Customer of the account, with assigned numbers and messages sent on its behalf. */
export const Customer = Resource("Customer", {
  id: Id("customer"),
  object: Type.Literal("customer"),
  name: Type.String(),
  external_id: Nullable(Type.String(), { description: "The account's own id of this customer." }),
  metadata: Type.Unsafe<Record<string, string>>({
    type: "object",
    additionalProperties: { type: "string" },
  }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
export type Customer = Static<typeof Customer>;
