import { Type } from "typebox";
import {
  MESSAGE_METADATA_KEYS_MAX,
  METADATA_KEY_CHARS_MAX,
  METADATA_VALUE_CHARS_MAX,
} from "./limits.ts";

const LIMITS = `at most ${MESSAGE_METADATA_KEYS_MAX} keys of at most ${METADATA_KEY_CHARS_MAX} characters, each with a text of at most ${METADATA_VALUE_CHARS_MAX}`;

/** Strings of the client's own, in a request. */
export function MetadataInput(options: { description: string }) {
  return Type.Unsafe<Record<string, string>>({
    type: "object",
    additionalProperties: { type: "string", maxLength: METADATA_VALUE_CHARS_MAX },
    propertyNames: { minLength: 1, maxLength: METADATA_KEY_CHARS_MAX },
    maxProperties: MESSAGE_METADATA_KEYS_MAX,
    description: `${options.description} Texts of your own by key: ${LIMITS}.`,
  });
}

/** The same strings, in an answer. */
export function MetadataOf(what: string) {
  return Type.Unsafe<Record<string, string>>({
    type: "object",
    additionalProperties: { type: "string" },
    description: `Texts of your own by key, as given for ${what}; {} without any.`,
  });
}
