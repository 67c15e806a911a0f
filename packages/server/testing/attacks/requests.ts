import { mintKey } from "../../src/account/keys/create.ts";
import { systemRandom } from "../../src/core/platform/random.ts";
import { type Attack, remembered, upload } from "./attack.ts";
import { flood, pipelined, wire } from "./flood.ts";

const LARGE_BYTES = 7_800_000;
/** A JSON body of nearly the maximum size, filled with one kind of value. */
function large(part: (index: number) => string, open = "[", close = "]"): string {
  const parts: string[] = [];
  let bytes = 0;
  for (let index = 0; bytes < LARGE_BYTES; index += 1) {
    const text = part(index);
    parts.push(text);
    bytes += text.length + 1;
  }
  return `${open}${parts.join(",")}${close}`;
}

const withheldUpload = (key: string) =>
  wire({
    method: "POST",
    path: "/v1/batches",
    key,
    body: Buffer.alloc(8 * 1024 * 1024, " "),
    withheld: 1,
  });

/** Attacks with requests and bodies of every shape, with and without a key. */
export const REQUEST_ATTACKS: readonly Attack[] = [
  {
    name: "withheld bytes",
    what: "300 uploads of 8 MiB by six accounts, whose last byte never comes; they once took 2.5 GB",
    meets: [],
    isShort: true,
    peakMbMax: 400,
    run: async (target) => {
      const floods = target.keys.map((key) =>
        flood(target, {
          connections: 300 / target.keys.length,
          once: true,
          bytes: () => remembered(`withheld ${key}`, () => withheldUpload(key)),
        }),
      );
      await Promise.all(floods);
    },
  },
  {
    name: "metrics",
    what: "900 pipelined requests for /metrics without a key, which once blocked the event loop for 12.5 s",
    meets: [200],
    isShort: true,
    run: (target) =>
      flood(target, { connections: 1, bytes: () => pipelined(900, { path: "/metrics" }) }),
  },
  {
    name: "document",
    what: "the OpenAPI document, pipelined, on four connections",
    meets: [200],
    isShort: true,
    run: (target) =>
      flood(target, {
        connections: 4,
        bytes: () => pipelined(50, { path: "/v1/openapi.json" }),
      }),
  },
  {
    name: "encodings",
    what: "Accept-Encoding headers of 14,000 digits without a key, each of which once took 0.3 s",
    meets: [200],
    isShort: true,
    run: (target) =>
      flood(target, {
        connections: 4,
        bytes: () =>
          pipelined(10, {
            path: "/v1/openapi.json",
            headers: { "accept-encoding": `*;q=.${"2".repeat(14_000)}x` },
          }),
      }),
  },
  {
    name: "anonymous calls",
    what: "calls with well-formed unknown keys; each costs a query until the address is throttled",
    meets: [401],
    run: (target) => {
      const random = systemRandom();
      return flood(target, {
        connections: 8,
        varies: true,
        bytes: () => wire({ path: "/v1/account", key: mintKey(random, "test").key }),
      });
    },
  },
  {
    name: "refusals",
    what: "404, 405 and 400 with a valid key, as fast as they come",
    meets: [400, 404, 405],
    isShort: true,
    run: (target) =>
      flood(target, {
        connections: 4,
        bytes: ({ key }) =>
          Buffer.concat([
            pipelined(5, { path: "/v1/nothing", key }),
            pipelined(5, { method: "DELETE", path: "/v1/account", key }),
            pipelined(5, { path: "/v1/messages?limit=0", key }),
          ]),
      }),
  },
  {
    name: "keys of an object",
    what: "an object with 700,000 keys, which once blocked the event loop for 3.6 s",
    meets: [400],
    isShort: true,
    run: upload("keys", () => large((index) => `"k${index}":1`, "{", "}")),
  },
  {
    name: "numbers",
    what: "8 MB of numbers",
    meets: [400],
    isShort: true,
    run: upload("numbers", () => large((index) => String(index))),
  },
  {
    name: "escapes",
    what: "8 MB of escaped characters",
    meets: [400],
    run: upload("escapes", () => large(() => `"${"\\u0041".repeat(50)}"`)),
  },
  {
    name: "nested lists",
    what: "8 MB of lists within lists",
    meets: [400],
    run: upload("lists", () => large(() => "[[[[[[[[1]]]]]]]]")),
  },
  {
    name: "long polls",
    what: "300 calls that wait for events",
    meets: [429],
    isShort: true,
    run: async (target) => {
      const headers = { authorization: `Bearer ${target.key}` };
      const answer = await fetch(`${target.url}/v1/events/wait`, { headers });
      const { cursor } = (await answer.json()) as { cursor: string };
      await flood(target, {
        connections: 300,
        once: true,
        bytes: ({ key }) => wire({ path: `/v1/events/wait?timeout=25&cursor=${cursor}`, key }),
      });
    },
  },
];
