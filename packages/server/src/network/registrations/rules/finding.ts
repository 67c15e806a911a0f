import { type RegistrationCode, registrationCodeSpec } from "@longwave/contract";

/** What a rule says of one thing it looked at. */
export interface Finding {
  readonly code: RegistrationCode;
  readonly level: "fail" | "warn" | "pass";
  readonly title: string;
  /** What was found, in one or two sentences. */
  readonly detail: string;
  readonly fix: string | null;
  /** Where it was found. */
  readonly url: string | null;
  /** The words that the finding rests on. */
  readonly excerpt: string | null;
}

export interface SampleFinding extends Finding {
  /** Which example, counted from 0; null when it is about all of them. */
  readonly index: number | null;
}

/** What a rule saw; null: not asked. */
export interface Seen {
  readonly holds: boolean;
  readonly detail: string;
  readonly url?: string | null;
  readonly excerpt?: string | null;
}

export function findingOf(code: RegistrationCode, seen: Seen): Finding {
  const spec = registrationCodeSpec(code);
  return {
    code,
    level: seen.holds ? "pass" : spec.level,
    title: seen.holds ? (spec.passes ?? spec.title) : spec.title,
    detail: seen.detail,
    fix: seen.holds ? null : spec.fix,
    url: seen.url ?? null,
    excerpt: seen.excerpt ?? null,
  };
}

const EXCERPT_CHARS_AROUND = 70;

/** The words of a match with some of those around it, on one line. */
export function excerptOf(text: string, start: number, end: number): string {
  const from = Math.max(0, start - EXCERPT_CHARS_AROUND);
  const to = Math.min(text.length, end + EXCERPT_CHARS_AROUND);
  const words = text.slice(from, to).replace(/\s+/g, " ").trim();
  return `${from > 0 ? "…" : ""}${wholeCharacters(words)}${to < text.length ? "…" : ""}`;
}

/** A cut may have gone through a character of two units. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, "").replace(/[\ud800-\udbff]$/, "");
}

export function quote(text: string): string {
  return `“${text}”`;
}
