import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { CarriersFileError } from "./config.ts";
import { readCarriersFile } from "./file.ts";

async function carriersFile(folder: string, carriers: unknown): Promise<string> {
  const file = join(folder, "carriers.json");
  await writeFile(file, JSON.stringify({ carriers }));
  return file;
}

test("a mistake in the carriers file is reported with its path", async (t) => {
  const folder = await temporaryFolder(t);
  const mistakes: [carriers: unknown, says: RegExp][] = [
    ["none", /needs "carriers"/],
    [[{ type: "simulator" }], /carriers\[0\]\.name/],
    [[{ name: "a", type: "pigeon" }], /carriers\[0\]\.type/],
    [[{ name: "a", type: "simulator", windw: 3 }], /carriers\[0\]\.windw/],
    [[{ name: "a", type: "simulator", numbers: ["12"] }], /carriers\[0\]\.numbers/],
    [
      [
        { name: "a", type: "simulator" },
        { name: "a", type: "simulator" },
      ],
      /carriers\[1\]\.name is that of carriers\[0\], too/,
    ],
  ];
  const wire = { name: "a", type: "smpp", host: "127.0.0.1", system_id: "us", password: "x" };
  mistakes.push(
    [[{ ...wire, bind: "both" }], /carriers\[0\]\.bind takes "transceiver" or "tx_rx"/],
    [[{ ...wire, hosts: ["b"] }], /carriers\[0\]\.host and hosts are both given/],
    [[{ ...wire, password_env: "NO_SUCH" }], /carriers\[0\]\.password and password_env/],
    [[wire, { ...wire, name: "b", window: 0, rate: "x" }], /\[1\]\.window .*\n.*\[1\]\.rate /],
    [
      [{ name: "a", type: "smpp" }],
      /\.host is missing.*\n.*\.system_id is missing.*\n.*\.password/,
    ],
  );
  mistakes.push([
    [{ name: "a", type: "http", url: "ftp://x" }],
    /\.body takes .*\n.*\.url takes /s,
  ]);
  for (const [carriers, says] of mistakes) {
    const file = await carriersFile(folder, carriers);
    await assert.rejects(readCarriersFile(file), (error: Error) => {
      assert.ok(error instanceof CarriersFileError);
      assert.match(error.message, says);
      return true;
    });
  }
  const missing = join(folder, "missing.json");
  await assert.rejects(readCarriersFile(missing), /cannot be read: there is no such file\./);
  const broken = join(folder, "broken.json");
  await writeFile(broken, '{"carriers": [');
  await assert.rejects(readCarriersFile(broken), /is not JSON at line 1, column /);
});
