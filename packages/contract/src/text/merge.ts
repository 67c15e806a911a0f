import { isLonger } from "./code-points.ts";

/**
 * Merge variables in a batch body: {{name}}, or {{name|fallback}}.
 *
 * Deliberately no template language. Values are never parsed again, so a contact called "{{email}}"
 * stays literal. A variable without a value is an error for the sender, never a message with a gap.
 */

export interface Placeholder {
  readonly name: string;
  /** Fallback of a missing value; null without one. May be empty: {{name|}}. */
  readonly fallback: string | null;
}

export interface Template {
  /** Literal strings around the placeholders: always one more than there are placeholders. */
  readonly literals: readonly string[];
  readonly placeholders: readonly Placeholder[];
}

export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly reason: string };

export type Merged =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: string };

export const VARIABLE_NAME_CHARS_MAX = 100;

const HOW = "Write a variable as {{name}}, or {{name|fallback}}.";

/** Parses the inside of the braces, or returns the error. */
function parsePlaceholder(inside: string): Placeholder | string {
  if (inside.includes("{")) return `A variable has a "{" inside it. ${HOW}`;
  const bar = inside.indexOf("|");
  const name = (bar === -1 ? inside : inside.slice(0, bar)).trim();
  if (name === "") return `A variable has no name. ${HOW}`;
  if (isLonger(name, VARIABLE_NAME_CHARS_MAX)) {
    return `A variable name is longer than ${VARIABLE_NAME_CHARS_MAX} characters. ${HOW}`;
  }
  return { name, fallback: bar === -1 ? null : inside.slice(bar + 1).trim() };
}

/** Parses a body once, for any number of merges. Refuses unbalanced braces with a reason. */
export function parseTemplate(body: string): ParsedTemplate {
  const literals: string[] = [];
  const placeholders: Placeholder[] = [];
  let at = 0;
  for (;;) {
    const open = body.indexOf("{{", at);
    if (open === -1) break;
    const close = body.indexOf("}}", open + 2);
    if (close === -1) {
      return { ok: false, reason: `"{{" is not closed by "}}". ${HOW}` };
    }
    const placeholder = parsePlaceholder(body.slice(open + 2, close));
    if (typeof placeholder === "string") return { ok: false, reason: placeholder };
    literals.push(body.slice(at, open));
    placeholders.push(placeholder);
    at = close + 2;
  }
  literals.push(body.slice(at));
  return { ok: true, template: { literals, placeholders } };
}

/** Distinct variables of a body, in order of appearance. */
export function templateVariables(template: Template): string[] {
  return [...new Set(template.placeholders.map((placeholder) => placeholder.name))];
}

/** Value of a variable; null when missing, blank, or not an own property. */
function variableValue(variables: Readonly<Record<string, string>>, name: string): string | null {
  if (!Object.hasOwn(variables, name)) return null;
  const value = variables[name];
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** Fills in every variable, or returns the first one that has neither value nor fallback. */
export function mergeTemplate(
  template: Template,
  variables: Readonly<Record<string, string>>,
): Merged {
  let text = template.literals[0] ?? "";
  for (let i = 0; i < template.placeholders.length; i++) {
    const placeholder = template.placeholders[i];
    if (!placeholder) break;
    const value = variableValue(variables, placeholder.name) ?? placeholder.fallback;
    if (value === null) return { ok: false, missing: placeholder.name };
    text += value + (template.literals[i + 1] ?? "");
  }
  return { ok: true, text };
}
