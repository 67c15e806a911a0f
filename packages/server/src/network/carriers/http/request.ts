import type { OutboundText } from "../carrier.ts";
import { digitsOf } from "../phones.ts";
import type { HttpOptions, TextValue } from "./config.ts";
import { fill, fillTree, type TemplateTree, type Values } from "./template.ts";

/** A text as it is asked for over HTTP. */
export interface HttpRequest {
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
}

export function requestOf(
  options: HttpOptions,
  text: OutboundText,
  urls: Values<"receipts_url" | "inbound_url">,
): HttpRequest {
  const values: Values<TextValue> = {
    from: text.from,
    to: text.to,
    from_digits: digitsOf(text.from),
    to_digits: digitsOf(text.to),
    body: text.body,
    reference: text.ourReference,
    segments: String(text.segments),
    encoding: text.encoding,
    ...urls,
  };
  const isForm = options.format === "form";
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  const given = options.headers.flatMap(([name, value]) => [name, fill(value, values)]);
  const hasType = options.headers.some(([name]) => name === "content-type");
  return {
    url: options.query === null ? options.url : `${options.url}?${formOf(options.query, values)}`,
    headers: hasType ? given : ["content-type", type, ...given],
    body: isForm ? formOf(options.body, values) : JSON.stringify(fillTree(options.body, values)),
  };
}

function formOf(tree: TemplateTree<TextValue>, values: Values<TextValue>): string {
  const filled = fillTree(tree, values) as Record<string, string>;
  return new URLSearchParams(filled).toString();
}
