import {
  counted,
  HOOK_ITEMS_PER_CALL_MAX,
  HOOK_MESSAGES_PER_CALL_MAX,
  type HookDeclaration,
  isBlank,
  MESSAGE_BODY_CHARS_MAX,
  Problem,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { parseRecipient } from "../../http/api/parse-fields.ts";
import { leavesOf, parsePath, valuesAt } from "../../network/carriers/index.ts";
import { type CallContent, firstAt } from "./content.ts";
import { fillFromCall } from "./template.ts";

/** A message that a call asks for, as it was understood. */
export interface ReadMessage {
  readonly to: string | null;
  readonly body: string;
  readonly code: string | null;
  /** Identifier of the call's item; null: a repeated call looks like a new one. */
  readonly id: string | null;
  readonly problem: Problem | null;
}

type Recipients = readonly string[];
type Reader = Pick<HookDeclaration, "list" | "when" | "to" | "code" | "body" | "id"> &
  Pick<HookDeclaration, "body_chars_max" | "purpose">;

const ELLIPSIS = "…";
/** Digits that a log must not show, where a declaration names no code. */
const CODE_DIGITS = /\d{4,10}/g;
const CODE_CHARS_MIN = 3;

/** Reads a call. Throws a Problem where it holds no list, a long one, or too many messages. */
export function readCall(
  deps: Base,
  declaration: Reader,
  recipients: Recipients,
  call: Omit<CallContent, "item">,
): ReadMessage[] {
  const messages: ReadMessage[] = [];
  for (const item of itemsOf(declaration, call.root)) {
    const content = { ...call, item };
    if (meets(declaration, content)) {
      messages.push(...readItem(deps, declaration, recipients, content));
    }
    if (messages.length > HOOK_MESSAGES_PER_CALL_MAX) {
      throw tooMany("The call asks for", HOOK_MESSAGES_PER_CALL_MAX, "message");
    }
  }
  return messages;
}

function itemsOf({ list }: Reader, root: unknown): unknown[] {
  if (!list) return [root];
  const found = valuesAt(root, parsePath(list), HOOK_ITEMS_PER_CALL_MAX + 1);
  const items = found.length === 1 && Array.isArray(found[0]) ? found[0] : found.flat();
  if (items.length > HOOK_ITEMS_PER_CALL_MAX) {
    throw tooMany(`The list at ${list} has`, HOOK_ITEMS_PER_CALL_MAX, "item");
  }
  if (items.length > 0) return items;
  throw new Problem(
    "invalid_request",
    `The call has no list at ${list}. The hook's log names the paths that it has.`,
    { param: list },
  );
}

function tooMany(what: string, max: number, of: string): Problem {
  const message = `${what} more than ${counted(max, of)}. Send smaller calls.`;
  return new Problem("invalid_request", message);
}

function meets({ when }: Reader, content: CallContent): boolean {
  return (when ?? []).every(({ path, values }) => {
    const found = firstAt(content, [path])?.toLowerCase();
    return found !== undefined && values.some((value) => value.toLowerCase() === found);
  });
}

function readItem(
  deps: Base,
  declaration: Reader,
  recipients: Recipients,
  content: CallContent,
): ReadMessage[] {
  const code = firstAt(content, declaration.code);
  const { text, problem } = textOf(declaration, content);
  const given = firstAt(content, declaration.to);
  const identifier = declaration.id ? fillFromCall(declaration.id, content) : null;
  const id = identifier?.isWhole ? identifier.text : null;
  const message = { body: text, code, id };
  if (given === null && recipients.length > 0) {
    return recipients.map((to) => ({ ...message, to, problem }));
  }
  try {
    return [{ ...message, to: recipientOf(deps, declaration, given), problem }];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [{ ...message, to: given?.slice(0, 40) ?? null, problem: problem ?? error }];
  }
}

function recipientOf(deps: Base, { to }: Reader, given: string | null): string {
  const path = to?.[0] ?? "to";
  if (given === null) {
    const paths = (to ?? []).join(" or ");
    throw new Problem(
      "invalid_request",
      `The call has no phone at ${paths}. The hook's log names the paths that it has.`,
      { param: path },
    );
  }
  // Programs leave out the plus of an international number.
  const text = /^\d{11,15}$/.test(given) ? `+${given}` : given;
  return parseRecipient(deps, text, path);
}

function textOf(
  declaration: Reader,
  content: CallContent,
): { readonly text: string; readonly problem: Problem | null } {
  const { text } = fillFromCall(declaration.body, content);
  const fail = (why: string) => ({
    text: [...text].slice(0, MESSAGE_BODY_CHARS_MAX).join(""),
    problem: new Problem("invalid_request", why, { param: "body" }),
  });
  if (isBlank(text)) {
    return fail("The call has no value at any path of the body. Check the body's paths.");
  }
  const characters = [...text];
  const max = declaration.body_chars_max ?? MESSAGE_BODY_CHARS_MAX;
  if (characters.length <= max) return { text, problem: null };
  if (declaration.body_chars_max) {
    return { text: characters.slice(0, max - 1).join("") + ELLIPSIS, problem: null };
  }
  return fail(`The text has more than ${max} characters. Set body_chars_max to have it cut.`);
}

/** Text for the log: stars in place of a one-time code. */
export function shownBody({ purpose }: Reader, { body, code }: ReadMessage): string {
  if (code !== null && code.length >= CODE_CHARS_MIN) {
    return body.replaceAll(code, "*".repeat(code.length));
  }
  return purpose === "codes" ? body.replace(CODE_DIGITS, (it) => "*".repeat(it.length)) : body;
}

/** Paths that a call has values at, without the values. */
export function pathsOf(root: unknown): string[] {
  return leavesOf(root).map(({ path }) => path.slice(0, 200));
}
