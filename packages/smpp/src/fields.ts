/** A field of a PDU's body, as in the specification's tables. */
export type FieldSpec =
  /** One octet. */
  | { readonly name: string; readonly kind: "u8" }
  /** Latin-1 C string; `octetsMax` includes the NUL and applies when encoding. */
  | { readonly name: string; readonly kind: "cstring"; readonly octetsMax: number }
  /** Octets behind a one-octet length. */
  | { readonly name: string; readonly kind: "octets"; readonly octetsMax: number };

export function u8<Name extends string>(name: Name) {
  return { name, kind: "u8" } as const;
}

export function cstring<Name extends string>(name: Name, octetsMax: number) {
  return { name, kind: "cstring", octetsMax } as const;
}

export function octets<Name extends string>(name: Name, octetsMax: number) {
  return { name, kind: "octets", octetsMax } as const;
}

type ValueOf<Kind> = Kind extends "u8" ? number : Kind extends "cstring" ? string : Buffer;

/** Values of a list of fields, by name. */
export type ValuesOf<Specs extends readonly FieldSpec[]> = {
  [Spec in Specs[number] as Spec["name"]]: ValueOf<Spec["kind"]>;
};

/** A value that does not fit its field; the message names the field and its range. */
export class FieldError extends RangeError {
  readonly field: string;
  constructor(field: string, takes: string) {
    super(`${field} takes ${takes}.`);
    this.name = "FieldError";
    this.field = field;
  }
}
