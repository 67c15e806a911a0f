/** A field of a PDU's body, as the specification's tables give it. */
export type FieldSpec =
  /** One octet. */
  | { readonly name: string; readonly kind: "u8" }
  /** A C string of Latin-1: at most so many octets when we write it, its NUL included. */
  | { readonly name: string; readonly kind: "cstring"; readonly octetsMax: number }
  /** Octets behind one octet that counts them. */
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

/** The values of a list of fields, by name. */
export type ValuesOf<Specs extends readonly FieldSpec[]> = {
  [Spec in Specs[number] as Spec["name"]]: ValueOf<Spec["kind"]>;
};

/** A value that cannot be written: names the field and says what it takes. */
export class FieldError extends RangeError {
  readonly field: string;
  constructor(field: string, takes: string) {
    super(`${field} takes ${takes}.`);
    this.name = "FieldError";
    this.field = field;
  }
}
