import { HOOK_TEXT_PATHS_MAX } from "@longwave/contract";
import { valuesAt } from "../../network/carriers/index.ts";
import { type CallContent, pathOf, valueAt } from "./content.ts";

const PLACEHOLDER = /\{\{([^{}]{1,500})\}\}/g;
/** Values of one path that are joined. */
const VALUES_MAX = 20;
/** Length at which a text is cut: more than any that may be sent. */
const TEXT_LENGTH_MAX = 4_000;

/** First mistake of a template, as a sentence; null: it has none. */
export function templateFault(text: string, names: readonly string[] | null): string | null {
  // A body of JSON ends in braces of its own.
  if (text.replaceAll(PLACEHOLDER, "").includes("{{")) {
    return "has braces that do not pair: a value is written {{path}}.";
  }
  const used = [...text.matchAll(PLACEHOLDER)].flatMap(([, inner = ""]) => inner.split("|"));
  if (used.length > HOOK_TEXT_PATHS_MAX) {
    return `has ${used.length} paths: it takes at most ${HOOK_TEXT_PATHS_MAX}.`;
  }
  for (const name of used.map((one) => one.trim())) {
    if (names === null ? pathOf(name) !== null : names.includes(name)) continue;
    const takes = names === null ? "a path such as user.phone" : names.join(", ");
    return `has {{${name.slice(0, 60)}}}: it takes ${takes}.`;
  }
  return null;
}

/** A template filled from a call. Several values at one path are joined. Missing values are empty. */
export function fillFromCall(text: string, content: CallContent): FilledTemplate {
  let isWhole = true;
  let left = TEXT_LENGTH_MAX;
  const filled = text.replaceAll(PLACEHOLDER, (_, inner: string) => {
    const found = firstTexts(content, inner.split("|"));
    if (found.length === 0) isWhole = false;
    const joined = [...new Set(found)].join(", ").slice(0, left);
    left -= joined.length;
    return joined;
  });
  return { text: filled, isWhole };
}

function firstTexts(content: CallContent, names: readonly string[]): string[] {
  for (const name of names) {
    const found = textsAt(content, name.trim());
    if (found.length > 0) return found;
  }
  return [];
}

export interface FilledTemplate {
  readonly text: string;
  /** Whether every placeholder had a value. */
  readonly isWhole: boolean;
}

/** A template filled from named values, each escaped for the inside of a JSON string. */
export function fillAsJson(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(PLACEHOLDER, (_, name: string) =>
    JSON.stringify(values[name.trim()] ?? "").slice(1, -1),
  );
}

function textsAt(content: CallContent, name: string): string[] {
  const path = pathOf(name);
  if (path === null) return [];
  const { root, steps } = valueAt(content, path);
  return valuesAt(root, steps, VALUES_MAX).flatMap((value) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? [String(value)].filter((one) => one.trim() !== "")
      : [],
  );
}
