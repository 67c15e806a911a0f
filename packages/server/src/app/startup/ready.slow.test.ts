import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../testing/free-port.ts";
import { endOf, startProgram } from "../../../testing/program.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";

const READY = /^Longwave is ready at http:\S+$/m;

for (const processes of [1, 2]) {
  test(`/readyz is 200 when ${processes} API process(es) print the ready line, and not before`, async (t) => {
    // Probes start early, as an orchestrator's do: an early answer may be cached.
    const port = await freePort();
    const folder = await temporaryFolder(t);
    const env = {
      PORT: `${port}`,
      LONGWAVE_DATA: folder,
      LONGWAVE_PROCESSES: `${processes}`,
    };
    const program = startProgram(t, { env });
    const probe = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
      return { status: answer.status, body: await answer.text() };
    };
    const answers: { status: number; body: string }[] = [];
    let isPrinted = false;
    const printed = new Promise<void>((resolve) => {
      program.child.stdout?.on("data", () => {
        isPrinted ||= READY.test(program.stdout());
        if (isPrinted) resolve();
      });
    });
    const atOnce = printed.then(probe);
    while (!isPrinted && program.child.exitCode === null) {
      await probe().then(
        (answer) => answers.push(answer),
        () => sleep(5),
      );
    }
    answers.push(await atOnce);
    assert.deepEqual(
      answers.filter(({ status }) => status !== 200),
      [],
      program.stderr(),
    );
    program.child.kill("SIGTERM");
    assert.equal(await endOf(program), 0);
  });
}
