import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Problem } from "@longwave/contract";
import { startProgram, temporaryFolder } from "../../testing/program.ts";
import { type RawConnection, rawConnection } from "../../testing/raw-http.ts";
import { until } from "../../testing/until.ts";
import { createBodyBudget } from "./body-budget.ts";

const MIB = 1024 * 1024;
const BODY_BYTES = 8 * MIB;
const UPLOADS = 300;
/** The built server starts at about 95 MB; from its sources, as here, at twice that. */
const GROWN_BYTES_MAX = 300 * MIB;
const READY = /^Longwave is ready at (http:\S+)$/m;

describe("the budget of bodies", () => {
  it("gives an account a quarter, and the process no more than all of it", () => {
    const budget = createBodyBudget(100);
    const refused = (take: () => void) => {
      try {
        take();
        return null;
      } catch (error) {
        assert.ok(error instanceof Problem);
        assert.equal(error.details.headers?.["retry-after"], "1");
        return error.code;
      }
    };
    const first = budget.open("a");
    const second = budget.open("a");
    first.take(20);
    assert.equal(
      refused(() => second.take(6)),
      "rate_limited",
    );
    second.take(5);
    const operator = budget.open(null);
    operator.take(75);
    assert.equal(
      refused(() => budget.open("b").take(1)),
      "unavailable",
    );
    first.release();
    assert.equal(
      refused(() => budget.open("b").take(1)),
      null,
    );
    assert.equal(
      refused(() => second.take(20)),
      "unavailable",
    );
    operator.release();
    second.take(20);
    second.release();
    budget.open("a").take(25);
  });

  const onLinux = { skip: process.platform === "linux" ? false : "reads /proc" };
  it(
    "three hundred uploads with the last byte withheld hold a bounded part of it",
    onLinux,
    async (t) => {
      const folder = await temporaryFolder(t);
      const program = startProgram(t, {
        env: { PORT: "0", LONGWAVE_DATA: folder, LONGWAVE_RATE_LIMIT: "0" },
      });
      const url = (await program.says(READY))[1] as string;
      const { test_key: key } = JSON.parse(await readFile(join(folder, "first-run.json"), "utf8"));
      const resident = async () => {
        const text = await (await fetch(`${url}/metrics`)).text();
        return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
      };
      const before = await resident();
      const head = `POST /v1/batches HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`;
      const part = Buffer.alloc(MIB, " ");
      const statuses: number[] = [];
      const upload = async (): Promise<RawConnection> => {
        const connection = await rawConnection(url);
        connection.next().then(
          (answer) => statuses.push(answer.status),
          () => {},
        );
        connection.write(head);
        for (let sent = 0; sent < 7; sent += 1) connection.write(part);
        connection.write(part.subarray(1));
        return connection;
      };
      const uploads: RawConnection[] = [];
      for (let begun = 0; begun < UPLOADS; begun += 20) {
        uploads.push(...(await Promise.all(Array.from({ length: 20 }, upload))));
      }
      let highest = before;
      await until(async () => {
        highest = Math.max(highest, await resident());
        return statuses.length >= UPLOADS - 4;
      }, 60_000);
      const grown = Math.round((highest - before) / MIB);
      assert.ok(highest - before < GROWN_BYTES_MAX, `${grown} MB more than ${before / MIB}`);
      assert.ok(
        statuses.every((status) => status === 429),
        String(new Set(statuses)),
      );
      // What the withheld ones hold is free again when their sockets go.
      for (const { socket } of uploads) socket.destroy();
      await until(async () => {
        const answer = await fetch(`${url}/v1/batches`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: Buffer.alloc(BODY_BYTES, " "),
        });
        await answer.arrayBuffer();
        return answer.status === 400;
      });
    },
  );
});
