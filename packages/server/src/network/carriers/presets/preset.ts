/** JSON of the carriers file. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** A field that an entry of this type takes beside the common ones and those of `http`. */
export interface PresetOption {
  /** Meaning of the field, for the documentation and the command line. */
  readonly about: string;
  readonly isRequired?: boolean;
  readonly default?: string;
  /** Accepted values; a name of a variable for fields that end in `_env`. */
  readonly form?: RegExp;
  readonly takes?: string;
  readonly isNumber?: boolean;
  /** Shortest value of a variable. */
  readonly charsMin?: number;
  /** True or false; an entry with false counts as one without the option. */
  readonly isFlag?: boolean;
}

/**
 * A provider's HTTP API in the language of `type: "http"` entries. In `entry`:
 * - `{{option.NAME}}` is the entry's field, `{{base_url}}` the origin of the provider's API;
 * - a field `name?option` exists only where the entry has that option, `name?!option` only where it
 *   has not, `name?one?!other` where both hold.
 */
export interface Preset {
  readonly type: string;
  readonly title: string;
  /** Rises with every change of the facts. */
  readonly version: number;
  /** Origin of the API; null where each customer has an own one, which the entry must name. */
  readonly baseUrl: string | null;
  readonly options: Readonly<Record<string, PresetOption>>;
  /** Steps at the provider, as sentences: before the entry exists, and after. */
  readonly setup: { readonly credentials: string; readonly callbacks: string };
  /** Origins of the facts. */
  readonly sources: readonly string[];
  /** Facts that no source confirms yet. */
  readonly unconfirmed: readonly string[];
  readonly entry: JsonObject;
}

/** Field of entries whose server the provider cannot call. */
export const POLL_SECONDS: PresetOption = {
  about: "Seconds between polls, for a server that the provider cannot call",
  isNumber: true,
};
