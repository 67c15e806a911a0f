import { Problem } from "@longwave/contract";
import type { CallbackRequest, ReadableCallback } from "../carrier.ts";
import { parseLoosely } from "./path.ts";

/** Content of a callback: JSON, a form, or query parameters. */
export function contentOf({
  contentType,
  query,
  body,
}: Pick<ReadableCallback, "contentType" | "query" | "body">): unknown {
  if (body.length === 0) return Object.fromEntries(new URLSearchParams(query));
  const text = body.toString("utf8");
  if (isFormType(contentType)) return Object.fromEntries(new URLSearchParams(text));
  const content = parseLoosely(text);
  if (content === undefined) throw unreadable("it is neither JSON nor a form");
  return content;
}

export function contentTypeOf(headers: CallbackRequest["headers"]): string {
  return String(headers["content-type"] ?? "");
}

export function isForm(headers: CallbackRequest["headers"]): boolean {
  return isFormType(contentTypeOf(headers));
}

function isFormType(contentType: string): boolean {
  return contentType.startsWith("application/x-www-form-urlencoded");
}

export function unreadable(why: string): Problem {
  return new Problem("invalid_request", `The call cannot be read: ${why}.`);
}
