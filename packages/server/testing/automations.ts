import assert from "node:assert/strict";
import type { Kit } from "./kit.ts";

/** Number that automations of tests send from. */
export const FROM = "+15005550100";
export const HOUR = 3_600;
let phones = 0;

/** A new phone for each test, so that no test sees the messages of another. */
export function newPhone(): string {
  phones += 1;
  return `+1415555${2_000 + phones}`;
}

export async function contact(kit: Kit, phone = newPhone(), more: Record<string, unknown> = {}) {
  const body = { phone_number: phone, name: "Ada Lovelace", ...more };
  const answer = await kit.request("POST", "/v1/contacts", { body });
  assert.ok(answer.status === 201 || answer.status === 200, JSON.stringify(answer.body));
  return answer.body as { id: string; phone_number: string; tags: string[] };
}

let events = 0;
/** An automation with its own trigger event; returns its id and the event. */
export async function automation(
  kit: Kit,
  steps: readonly unknown[],
  more: Record<string, unknown> = {},
) {
  events += 1;
  const event = `event_${events}`;
  const body = { name: "Test", trigger: { event }, steps, ...more };
  const answer = await kit.request("POST", "/v1/automations", { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return { id: answer.body.id as string, event: answer.body.trigger.event as string };
}

export async function track(
  kit: Kit,
  event: string,
  phone: string,
  properties?: Record<string, unknown>,
) {
  const body = { event, phone_number: phone, ...(properties ? { properties } : {}) };
  const answer = await kit.request("POST", "/v1/track", { body });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.matched as number;
}

export async function runsOf(kit: Kit, id: string) {
  const { body } = await kit.request("GET", `/v1/automations/${id}/runs?limit=100`);
  return body.data as Run[];
}

export interface Run {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly version: number;
  readonly wait_until: string | null;
  readonly steps: { step: string; type: string; result: string; message_id: string | null }[];
}

export async function onlyRun(kit: Kit, id: string): Promise<Run> {
  const runs = await runsOf(kit, id);
  assert.equal(runs.length, 1);
  return runs[0] as Run;
}

export async function textsTo(kit: Kit, phone: string): Promise<string[]> {
  const rows = await kit.rows(
    "select body from messages where to_number = $1 and direction = 'outbound' and not auto_reply order by id",
    [phone],
  );
  return rows.map((row) => row.body);
}

export async function runEvents(kit: Kit, runId: string): Promise<string[]> {
  const rows = await kit.rows(
    "select type, data ->> 'reason' as reason from events where data ->> 'run_id' = $1 order by seq",
    [runId],
  );
  return rows.map((row) => (row.reason === null ? row.type : `${row.type} ${row.reason}`));
}

export const send = (body: string) => ({ type: "send", from: FROM, body });
export const results = (run: Run) => run.steps.map((step) => `${step.step} ${step.result}`);

/** An `if` step of the API. */
export function choice(filter: unknown, met: readonly unknown[], unmet?: readonly unknown[]) {
  // biome-ignore lint/suspicious/noThenProperty: the API's own name
  return { type: "if", filter, then: met, ...(unmet ? { else: unmet } : {}) };
}
