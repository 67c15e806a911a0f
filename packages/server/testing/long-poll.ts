import { once } from "node:events";
import { type ClientRequest, get } from "node:http";
import type { Kit } from "./kit.ts";

export interface LongPoll {
  readonly request: ClientRequest;
  readonly answer: Promise<{ data: { id: string }[] }>;
}

/** A call that waits for events, on a connection of its own. */
export function openLongPoll(kit: Kit, cursor: string, timeout: number): LongPoll {
  const request = get(`${kit.url}/v1/events/wait?cursor=${cursor}&timeout=${timeout}`, {
    headers: { authorization: `Bearer ${kit.testKey}` },
    agent: false,
  });
  const read = async () => {
    const [response] = await once(request, "response");
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
    return JSON.parse(text) as { data: { id: string }[] };
  };
  const answer = read();
  answer.catch(() => {});
  return { request, answer };
}
