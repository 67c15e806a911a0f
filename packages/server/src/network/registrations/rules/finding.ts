import { type RegistrationCode, registrationCodeSpec } from "@longwave/contract";

/** Result of one rule. */
export interface Finding {
  readonly code: RegistrationCode;
  readonly level: "fail" | "warn" | "pass";
  readonly title: string;
  /** Description in one or two sentences. */
  readonly detail: string;
  readonly fix: string | null;
  /** Page of the finding. */
  readonly url: string | null;
  /** Words that the finding rests on. */
  readonly excerpt: string | null;
}

export interface SampleFinding extends Finding {
  /** Index of the example; null when the finding is about all of them. */
  readonly index: number | null;
}

/** Observation of a rule. A rule returns null when it does not apply. */
export interface Observation {
  readonly holds: boolean;
  readonly detail: string;
  readonly url?: string | null;
  readonly excerpt?: string | null;
}

export function findingOf(code: RegistrationCode, seen: Observation): Finding {
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

/** The matched words with context, on one line. */
export function excerptOf(text: string, start: number, end: number): string {
  const from = Math.max(0, start - EXCERPT_CHARS_AROUND);
  const to = Math.min(text.length, end + EXCERPT_CHARS_AROUND);
  const words = text.slice(from, to).replace(/\s+/g, " ").trim();
  return `${from > 0 ? "…" : ""}${wholeCharacters(words)}${to < text.length ? "…" : ""}`;
}

/** Drops surrogate halves that a cut left at the ends. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, "").replace(/[\ud800-\udbff]$/, "");
}

export function quote(text: string): string {
  return `“${text}”`;
}
