import { EVENT_TYPES, EVENTS, type EventType } from "../../packages/contract/src/index.ts";
import { plainSchema, type Schema } from "../../packages/contract/src/openapi/json.ts";
import { MARKDOWN_MARK, markdownTable, type Output } from "./output.ts";

/** Every event type, when it fires, and the fields of its data. */
export function eventsPage(): Output[] {
  const overview = EVENT_TYPES.map((type) => [
    `[\`${type}\`](#${type.replaceAll(/[._]/g, (mark) => (mark === "_" ? "_" : ""))})`,
    EVENTS[type].when,
    EVENTS[type].call === null ? "" : `\`${EVENTS[type].call}\``,
  ]);
  const text = [
    MARKDOWN_MARK,
    "# Events",
    "One transaction writes an event and its change: there is never one without the other. Webhook bodies are exactly what `GET /v1/events` answers: `id`, `object`, `type`, `mode` (`test` or `live`), `created_at` and `data`.",
    markdownTable(["Type", "Fires when", "Tied call"], overview),
    ...EVENT_TYPES.map(eventText),
  ].join("\n\n");
  return [{ path: "docs/events.md", text: `${text}\n` }];
}

function eventText(type: EventType): string {
  const schema = plainSchema(EVENTS[type].data);
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    `\`${name}\``,
    typeWords(field),
    [schema.required?.includes(name) ? "" : "Only when there is one.", field.description ?? ""]
      .filter((part) => part !== "")
      .join(" "),
  ]);
  return [
    `## ${type}`,
    EVENTS[type].when,
    markdownTable(["Field of `data`", "Type", "Meaning"], rows),
  ].join("\n\n");
}

function typeWords(schema: Schema): string {
  if (schema.$id !== undefined) return schema.$id;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.anyOf) return schema.anyOf.map(typeWords).join(" or ");
  const prefix = /^\^([a-z]+_)\[/.exec(schema.pattern ?? "")?.[1];
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? "anything"];
  const words = types.map((type) => {
    if (type !== "string") return type;
    if (prefix !== undefined) return `id (\`${prefix}\`)`;
    if (schema.format === "date-time") return "timestamp";
    return schema.pattern?.startsWith("^\\+1") ? "phone number" : "string";
  });
  return words.join(" or ");
}
