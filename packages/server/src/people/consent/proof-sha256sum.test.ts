import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";

/** SHA-256 by the operating system's own program, as a third party would compute it. */
function sha256sum(text: string): string {
  return execFileSync("sha256sum", { input: text, encoding: "utf8" }).slice(0, 64);
}

test("sha256sum alone checks a proof, as docs/consent-proof.md says", async (t) => {
  const kit = await startKit(t);
  const steps: [string, string][] = [
    ["+14155550101", "opted_out"],
    ["+14155550123", "opted_in"],
    ["+14155550102", "opted_in"],
    ["+14155550123", "opted_out"],
  ];
  for (const [phone_number, status] of steps) {
    const body = { phone_number, status, source: "Bürger-App ✓", note: 'says "no"\n\u2028' };
    assert.equal((await kit.request("POST", "/v1/consent", { body })).status, 201);
  }
  const { body: proof } = await kit.request("GET", "/v1/consent/+14155550123/proof");
  for (const entry of proof.entries) {
    assert.equal(sha256sum(entry.text), entry.hash);
    assert.equal(sha256sum(entry.chain_before + entry.hash), entry.chain_after);
  }
  const walked = proof.chain.hashes.reduce(
    (chain: string, hash: string) => sha256sum(chain + hash),
    proof.chain.start.hash,
  );
  assert.equal(walked, proof.chain.head.hash);
});
