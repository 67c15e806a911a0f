import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { curlOf, type WholeRequest } from "./request.ts";

const request = (fields: Partial<WholeRequest>) =>
  ({ method: "POST", path: "/v1/messages", body: null, answer: null, ...fields }) as WholeRequest;

/** Arguments that a shell gives to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const env = { LONGWAVE_KEY: "key" };
  return execFileSync("sh", ["-c", script], { env, encoding: "utf8" }).split("\0").slice(0, -1);
}

test("a request is copied as a curl command that a shell reads as it was", () => {
  const body = JSON.stringify({ body: `It's $5 "off" \`now\`\n` });
  assert.deepEqual(argumentsOf(curlOf(request({ body }), "https://sms.example.com")), [
    ...["-X", "POST", "https://sms.example.com/v1/messages"],
    ...["-H", "Authorization: Bearer key", "-H", "Content-Type: application/json", "-d", body],
  ]);
});

test("a cut body is left out of the command", () => {
  const command = curlOf(request({ body: '{"to":"+1…' }), "https://sms.example.com");
  assert.ok(!command.includes("-d "));
  assert.match(curlOf(request({ method: "GET" }), "http://x"), /^curl 'http:\/\/x\/v1\/messages' /);
});
