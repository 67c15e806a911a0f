import type { OutboundMessage } from "../carrier.ts";
import { digitsOf } from "../number-set.ts";
import type { HttpOptions, MessageValue } from "./config.ts";
import { fill, fillTree, type TemplateTree, type Values } from "./template.ts";

/** An HTTP request that submits one message. */
export interface HttpRequest {
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
}

export function requestOf(
  options: HttpOptions,
  message: OutboundMessage,
  validity: { readonly seconds: number; readonly untilMs: number },
  urls: Values<"receipts_url" | "inbound_url">,
): HttpRequest {
  const values: Values<MessageValue> = {
    from: message.from,
    to: message.to,
    from_digits: digitsOf(message.from),
    to_digits: digitsOf(message.to),
    body: message.body,
    reference: message.ourReference,
    segments: String(message.segments),
    encoding: message.encoding,
    validity_seconds: String(validity.seconds),
    valid_until: new Date(validity.untilMs).toISOString(),
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

function formOf(tree: TemplateTree<MessageValue>, values: Values<MessageValue>): string {
  const filled = fillTree(tree, values) as Record<string, string>;
  return new URLSearchParams(filled).toString();
}
