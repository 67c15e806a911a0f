/**
 * The packed SDK against a real server, on this Node.js, its successors, Deno and Bun. The runtimes
 * come from the npm registry; unavailable ones are reported as skipped.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { outputOf, packedPackages, ROOT } from "../../../scripts/packages/packed.ts";
import { giveNumber } from "../../server/testing/give-number.ts";
import { suiteKit } from "../../server/testing/suite.ts";

const run = promisify(execFile);
const RUNTIMES = join(ROOT, "lint/runtimes");
const program = (name: string, file: string) =>
  join(RUNTIMES, "node_modules", `${name}-${process.arch}`, file);

interface Runtime {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

const OTHERS: readonly Runtime[] = [
  { name: "Node.js 22", command: program("node-22", "bin/node"), args: [] },
  { name: "Node.js 24", command: program("node-24", "bin/node"), args: [] },
  { name: "Node.js 26", command: program("node-26", "bin/node"), args: [] },
  { name: "Deno", command: program("deno", "deno"), args: ["run", "--allow-all"] },
  { name: "Bun", command: program("bun", "bin/bun"), args: ["run"] },
];

/** Typical use of the SDK: sends, iterates, is refused, retries, signs, listens. */
const PROGRAM = `
import { BadRequestError, Longwave, countSegments, normalizePhone, webhooks } from "@longwave/sdk";
import { fileStore } from "@longwave/sdk/node";

const { LONGWAVE_URL: baseUrl, LONGWAVE_API_KEY: apiKey } = process.env;
const client = new Longwave({ apiKey, baseUrl });
const sent = await client.messages.send({ from: "+15005550100", to: "+15005550000", body: "Hello" });
for (let count = 0; count < 3; count += 1) {
  await client.messages.send({ from: "+15005550100", to: "+15005550000", body: "Hello " + count });
}
let walked = 0;
for await (const message of client.messages.list({ limit: 2 })) walked += message.object === "message" ? 1 : 0;
const refused = await client.messages.send({ from: "+15005550100", to: "nobody", body: "Hello" }).catch((error) => error);
let tries = 0;
const stubborn = new Longwave({
  apiKey, baseUrl, retryDelaysMs: [1, 1],
  fetch: async (...given) => {
    tries += 1;
    if (tries < 3) throw new TypeError("the network is away");
    return fetch(...given);
  },
});
const again = await stubborn.account.get();
const secret = "whsec_" + btoa("a secret of thirty-two bytes ...");
const body = JSON.stringify({ id: "evt_1", type: "test.ping" });
const event = await webhooks.verify(body, await webhooks.sign(body, secret), secret);
const forged = await webhooks.verify(body + " ", await webhooks.sign(body, secret), secret).catch((error) => error.name);
const saying = setInterval(() => {
  client.test.inbound({ from: "+15005550000", to: "+15005550100", body: "Hi" }).catch(() => {});
}, 200);
let heard = null;
for await (const one of client.events.listen({ store: fileStore(process.env.PLACE) })) {
  if (one.type !== "message.received") continue;
  heard = one.data.body;
  break;
}
clearInterval(saying);
const controller = new AbortController();
controller.abort();
const aborted = await client.account.get({ signal: controller.signal }).then(() => "answered", () => "aborted");
console.log(JSON.stringify({
  sent: sent.object, walked: walked >= 4, refused: refused instanceof BadRequestError && refused.param,
  tries, again: again.object, event: event.id, forged: typeof forged, heard, aborted,
  segments: countSegments("x").segments, phone: normalizePhone("(415) 555-2671"),
}));
process.exit(0);
`;

const EXPECTED = {
  sent: "message",
  walked: true,
  refused: "to",
  tries: 3,
  again: "account",
  event: "evt_1",
  forged: "string",
  heard: "Hi",
  aborted: "aborted",
  segments: 1,
};

describe("the SDK on every runtime", () => {
  const kit = suiteKit();
  const packed = packedPackages();
  before(async () => {
    await giveNumber(kit(), { phone: "+15005550100" });
    const install =
      'import("./scripts/install.mjs").then(({ ensureInstalled }) => ensureInstalled("lint/runtimes", "other runtimes"))';
    outputOf(process.execPath, ["-e", install], ROOT);
    writeFileSync(join(packed().folder, "everything.mjs"), PROGRAM);
  });

  const own = {
    name: `Node.js ${process.version} (this one)`,
    command: process.execPath,
    args: [],
  };
  for (const { name, command, args } of [own, ...OTHERS]) {
    test(name, async (t) => {
      if (!existsSync(command)) return t.skip("it is not there for this platform: not run");
      const version = (await run(command, ["--version"])).stdout;
      const { folder } = packed();
      // The server runs in this process, so the client must not block it.
      const { stdout } = await run(command, [...args, "everything.mjs"], {
        cwd: folder,
        timeout: 60_000,
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: folder,
          DENO_NO_UPDATE_CHECK: "1",
          LONGWAVE_URL: kit().url,
          LONGWAVE_API_KEY: kit().testKey,
          PLACE: join(folder, `place-${name.replaceAll(/\W/g, "-")}.json`),
        },
      });
      const { phone, ...told } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
      assert.deepEqual(told, EXPECTED);
      assert.match(JSON.stringify(phone), /\+14155552671/);
      t.diagnostic(`ran on ${version.trim().split("\n")[0]}`);
    });
  }
});
