import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../../../testing/free-port.ts";
import { startProgram } from "../../../testing/program.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { until } from "../../../testing/until.ts";

const READY = /^Longwave is ready at (http:\S+)$/m;
const REQUESTS = 40;

/** Value of one series in the text format. */
function seriesOf(text: string, series: string): number {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${series} `));
  assert.ok(line, `${series} is missing in:\n${text}`);
  return Number(line.slice(series.length + 1));
}

test("metrics of several processes are summed, on a separate port if configured", async (t) => {
  const folder = await temporaryFolder(t);
  const metricsPort = await freePort();
  const env = { PORT: "0", LONGWAVE_DATA: folder, LONGWAVE_PROCESSES: "2" };
  const program = startProgram(t, {
    env: { ...env, LONGWAVE_METRICS_PORT: `${metricsPort}`, LONGWAVE_RATE_LIMIT: "0" },
  });
  const url = (await program.says(READY))[1] as string;
  const key = (
    JSON.parse(await readFile(join(folder, "first-run.json"), "utf8")) as {
      test_key: string;
    }
  ).test_key;
  const headers = { authorization: `Bearer ${key}`, connection: "close" };
  for (let sent = 0; sent < REQUESTS; sent += 1) {
    assert.equal((await fetch(`${url}/v1/account`, { headers })).status, 200);
  }

  const watched = `http://127.0.0.1:${metricsPort}`;
  const requests = 'longwave_http_request_duration_seconds_count{route="account.get",status="2xx"}';
  let text = "";
  // A request is counted after its answer, and totals are cached for a second. Reading the database at that
  // moment may wait for a connection.
  await until(async () => {
    text = await (await fetch(`${watched}/metrics`)).text();
    const isCounted = text.includes(requests) && seriesOf(text, requests) >= REQUESTS;
    return isCounted && seriesOf(text, "longwave_database_pool_waiting") === 0;
  });
  assert.equal(seriesOf(text, requests), REQUESTS);
  assert.equal(seriesOf(text, "longwave_workers_live"), 1);
  assert.match(text, /^nodejs_eventloop_lag_p99_seconds /m);
  assert.doesNotMatch(text, /acct_|svc_sk_/, "nothing in it names an account");
  assert.equal((await fetch(`${watched}/readyz`)).status, 200);
  assert.equal((await fetch(`${watched}/v1/account`, { headers })).status, 404);
  assert.equal((await fetch(`${url}/metrics`)).status, 404);
});

test("without a separate port, any process serves the total, to this machine only", async (t) => {
  const folder = await temporaryFolder(t);
  const env = { PORT: "0", LONGWAVE_DATA: folder, LONGWAVE_PROCESSES: "2" };
  const program = startProgram(t, { env });
  const url = (await program.says(READY))[1] as string;
  const text = await (await fetch(`${url}/metrics`)).text();
  // Two API processes and the primary, each with its own pool.
  const resident = seriesOf(text, "process_resident_memory_bytes");
  assert.ok(resident > 2 * 40 * 1024 * 1024, `${resident} bytes is more than one process`);
  for (const name of ["x-forwarded-for", "forwarded", "via", "x-real-ip"]) {
    const through = await fetch(`${url}/metrics`, { headers: { [name]: "127.0.0.1" } });
    assert.equal(through.status, 404, "a proxy's clients are not on this machine");
    await through.arrayBuffer();
  }
});
