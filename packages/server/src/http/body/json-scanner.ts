import { Problem } from "@longwave/contract";
import { shownName } from "../../core/platform/outside-text.ts";

const JSON_DEPTH_MAX = 32;
/** More fields than any schema has: an object with a field for every byte would take seconds. */
const OBJECT_KEYS_MAX = 1_000;
/** Values in one part of a body, parsed in one step. */
const PART_VALUES_MAX = 100_000;
/** Size of the parts in which long lists are parsed, with a yield to the event loop between them. */
export const PART_BYTES = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const SMALL_E = 0x65;
const TO_SMALL = 0x20;
/** Numbers with at most this many digits lose none. */
const DIGITS_KEPT_MAX = 15;

/** A list directly below the body's object, and the commas between its items at which to cut it. */
export interface CutList {
  readonly key: string;
  /** Position of the list's `[`. */
  readonly openAt: number;
  /** Positions of commas, about PART_BYTES apart. */
  readonly cuts: number[];
}

/** A cut list after parsing: the item indices of its cuts. */
export interface ListParts {
  readonly key: string;
  readonly ends: readonly number[];
}

/** An object or array that is open at a position of the input. */
interface Open {
  /** Keys so far; null in an array. */
  readonly keys: Set<string> | null;
  key: string;
  index: number;
  expectsKey: boolean;
}

/**
 * Scans JSON without building values, byte by byte and resumable: nesting, number of values, repeated or too many keys.
 * Syntax errors are left to JSON.parse.
 */
export class JsonScanner {
  /** A number is long enough to lose digits, or has an exponent and may overflow. */
  hasOddNumber: boolean = false;
  /** In valid UTF-8 only an escape can hide a NUL or a lone surrogate. */
  hasEscape: boolean = false;
  readonly lists: CutList[] = [];
  readonly #bytes: Buffer;
  readonly #valuesMax: number;
  readonly #open: Open[] = [];
  #position = 0;
  #values = 0;
  #valuesAtCut = 0;
  /** Start of the string around the position; -1 outside of strings. */
  #stringAt = -1;
  #digits = 0;
  #list: CutList | null = null;

  constructor(bytes: Buffer, valuesMax: number) {
    this.#bytes = bytes;
    this.#valuesMax = valuesMax;
  }

  /** Scans on, up to this position. */
  scanTo(end: number): void {
    const bytes = this.#bytes;
    while (this.#position < end) {
      if (this.#stringAt !== -1) {
        this.#readString(end);
        continue;
      }
      const code = bytes[this.#position] as number;
      if (code >= ZERO && code <= NINE) this.#digits += 1;
      else if (this.#digits > 0) this.#endDigits(code);
      if (code === QUOTE) this.#stringAt = this.#position;
      else if (code >= OPEN_BRACKET || code === COMMA) this.#readStructure(code);
      this.#position += 1;
    }
    if (this.#digits > DIGITS_KEPT_MAX) this.hasOddNumber = true;
  }

  #readString(end: number): void {
    const bytes = this.#bytes;
    let position = this.#position;
    while (position < end) {
      const code = bytes[position];
      if (code === BACKSLASH) {
        this.hasEscape = true;
        position += 1;
      } else if (code === QUOTE) {
        this.#endString(position);
        this.#position = position + 1;
        return;
      }
      position += 1;
    }
    this.#position = position;
  }

  #endString(end: number): void {
    const inner = this.#open.at(-1);
    if (inner?.expectsKey) this.#noteKey(inner, end);
    this.#stringAt = -1;
    this.#count();
  }

  #endDigits(code: number): void {
    if (this.#digits > DIGITS_KEPT_MAX || (code | TO_SMALL) === SMALL_E) this.hasOddNumber = true;
    this.#digits = 0;
  }

  #readStructure(code: number): void {
    switch (code) {
      case OPEN_BRACE:
        this.#openNested(new Set());
        break;
      case OPEN_BRACKET:
        this.#openNested(null);
        break;
      case COMMA:
        this.#noteComma();
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        this.#open.pop();
        if (this.#open.length === 1) this.#list = null;
        return;
      default:
        return;
    }
    this.#count();
  }

  #count(): void {
    this.#values += 1;
    if (this.#values > this.#valuesMax) {
      throw tooMany(`The body has more than ${this.#valuesMax} values. Send less at a time.`);
    }
    if (this.#values - this.#valuesAtCut > PART_VALUES_MAX) {
      throw tooMany(
        `One part of the body has more than ${PART_VALUES_MAX} values. Send less at a time.`,
      );
    }
  }

  #openNested(keys: Set<string> | null): void {
    this.#open.push({ keys, key: "", index: 0, expectsKey: keys !== null });
    if (this.#open.length > JSON_DEPTH_MAX) {
      throw tooMany(`The body is nested more than ${JSON_DEPTH_MAX} levels deep. Flatten it.`);
    }
    const outer = this.#open[0];
    if (keys === null && this.#open.length === 2 && outer?.keys) {
      this.#list = { key: outer.key, openAt: this.#position, cuts: [] };
      this.lists.push(this.#list);
    }
  }

  #noteComma(): void {
    const inner = this.#open.at(-1);
    if (!inner) return;
    inner.index += 1;
    inner.expectsKey = inner.keys !== null;
    const list = this.#list;
    if (!list || this.#open.length !== 2) return;
    if (this.#position - (list.cuts.at(-1) ?? list.openAt) < PART_BYTES) return;
    list.cuts.push(this.#position);
    this.#valuesAtCut = this.#values;
  }

  #noteKey(inner: Open, end: number): void {
    inner.expectsKey = false;
    const raw = this.#bytes.toString("utf8", this.#stringAt + 1, end);
    const key = raw.includes("\\") ? unescapeKey(raw) : raw;
    const keys = inner.keys as Set<string>;
    const isTwice = keys.has(key);
    keys.add(key);
    inner.key = key;
    if (keys.size > OBJECT_KEYS_MAX) {
      const where = shownName(pathOf(this.#open.slice(0, -1)));
      const what = `has more than ${OBJECT_KEYS_MAX} fields. No object of this API has so many.`;
      throw new Problem("invalid_request", `${where || "The body"} ${what}`, {
        ...(where === "" ? {} : { param: where }),
      });
    }
    if (!isTwice && key !== "__proto__") return;
    const param = shownName(pathOf(this.#open));
    const what = isTwice ? "is given twice. Send it once." : "is not a known field. Leave it out.";
    throw new Problem("invalid_request", `${param} ${what}`, { param });
  }
}

/** Path such as `recipients[3].to` of the scanner's position. */
function pathOf(open: readonly Open[]): string {
  return open.reduce((path, one) => {
    if (one.keys === null) return `${path}[${one.index}]`;
    return path === "" ? one.key : `${path}.${one.key}`;
  }, "");
}

function unescapeKey(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    // Not JSON: the parser reports the position.
    return raw;
  }
}

function tooMany(message: string): Problem {
  return new Problem("invalid_request", message);
}
