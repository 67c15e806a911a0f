import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, it, type TestContext } from "node:test";
import { createBodyBudget, readBody } from "./read-body.ts";

const BYTES_MAX = 1_000;

/** A server that answers with the body and whether it was complete at once, and a client connected to it. */
async function connected(t: TestContext): Promise<{ client: Socket; server: Server }> {
  const server = createServer(async (request, response) => {
    // Like the wait for a cached authentication, which needs no I/O.
    await null;
    const read = readBody(request, BYTES_MAX, createBodyBudget(BYTES_MAX * 10).open("a"));
    const how = read instanceof Promise ? "gathered" : "at once";
    response.end(`${how}: ${await read}\n`);
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  return { client: connect((server.address() as AddressInfo).port, "127.0.0.1"), server };
}

function post(body: string, more = ""): string {
  return `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
}

/** Sends the requests one after another, each after the previous answer; returns everything read. */
async function answersOf(client: Socket, requests: readonly string[]): Promise<string[]> {
  const answers: string[] = [];
  for (const request of requests) {
    client.write(request);
    const [answer] = (await once(client, "data")) as [Buffer];
    answers.push(...(answer.toString().match(/^(gathered|at once): .*$/gm) ?? []));
  }
  client.destroy();
  return answers;
}

describe("a body", () => {
  it("with its head in one packet is complete at once, on a kept connection", async (t) => {
    const { client } = await connected(t);
    const answers = await answersOf(client, [post("first"), post("second"), post("third")]);
    assert.deepEqual(answers, ["at once: first", "at once: second", "at once: third"]);
  });

  it("stays separate when several requests arrive in one packet", async (t) => {
    const { client } = await connected(t);
    client.end(post("first") + post("second") + post("third", "Connection: close\r\n"));
    const said = (await text(client)).match(/^.*: (first|second|third)$/gm);
    assert.deepEqual(said, ["at once: first", "at once: second", "at once: third"]);
  });

  it("in several packets is assembled, and the connection continues", async (t) => {
    const { client, server } = await connected(t);
    const whole = post("in pieces");
    client.write(whole.slice(0, -6));
    await once(server, "request");
    const answers = await answersOf(client, [whole.slice(-6), post("next")]);
    assert.deepEqual(answers, ["gathered: in pieces", "at once: next"]);
  });
});
