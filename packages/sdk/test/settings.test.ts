import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Longwave } from "../src/index.ts";
import { answer, fakeFetch } from "./fake-server.ts";

const NAMES = ["LONGWAVE_API_KEY", "LONGWAVE_OPERATOR_TOKEN", "LONGWAVE_URL"] as const;
const kept = NAMES.map((name) => [name, process.env[name]] as const);
const clear = () => {
  for (const name of NAMES) delete process.env[name];
};
before(clear);
afterEach(clear);
after(() => {
  for (const [name, value] of kept) if (value !== undefined) process.env[name] = value;
});

async function asked(options: ConstructorParameters<typeof Longwave>[0] = {}) {
  const { fetch, asked } = fakeFetch([answer(200, {}), answer(200, {})]);
  const client = new Longwave({ ...options, fetch });
  await client.account.get();
  const [call] = asked;
  return [call?.url.href, call?.headers.get("authorization")];
}

test("the client reads key, token and URL from the environment", async () => {
  process.env["LONGWAVE_API_KEY"] = "svc_sk_test_env";
  assert.deepEqual(await asked(), ["http://127.0.0.1:7670/v1/account", "Bearer svc_sk_test_env"]);
  process.env["LONGWAVE_URL"] = "https://sms.example.com/v1/";
  assert.deepEqual(await asked(), ["https://sms.example.com/v1/account", "Bearer svc_sk_test_env"]);
  const { fetch, asked: calls } = fakeFetch([answer(200, {})]);
  process.env["LONGWAVE_OPERATOR_TOKEN"] = "svc_op_env_0123456";
  await new Longwave({ fetch }).operator.clock.get();
  assert.equal(calls[0]?.headers.get("authorization"), "Bearer svc_op_env_0123456");
});

test("options win over the environment, and an empty variable counts as unset", async () => {
  process.env["LONGWAVE_API_KEY"] = "svc_sk_test_env";
  process.env["LONGWAVE_URL"] = "";
  const options = { apiKey: "svc_sk_test_1", baseUrl: "http://localhost:1/sub/" };
  assert.deepEqual(await asked(options), [
    "http://localhost:1/sub/v1/account",
    "Bearer svc_sk_test_1",
  ]);
  assert.equal((await asked({ apiKey: "svc_sk_test_1" }))[0], "http://127.0.0.1:7670/v1/account");
  process.env["LONGWAVE_API_KEY"] = "";
  await assert.rejects(
    asked(),
    /GET \/v1\/account needs the client's option apiKey, or the variable LONGWAVE_API_KEY\./,
  );
  process.env["LONGWAVE_API_KEY"] = "svc_sk_test_env";
  await assert.rejects(asked({ apiKey: "" }), /option apiKey/, "an empty option is a mistake");
});

test("construction refuses an invalid URL by name, and repeats no password", () => {
  for (const baseUrl of [
    "localhost:7670",
    "",
    "ftp://example.com",
    "http://x/?a=1",
    "http://x/#a",
  ]) {
    assert.throws(
      () => new Longwave({ baseUrl }),
      new TypeError(
        `baseUrl must be the server's URL, such as http://127.0.0.1:7670; ${JSON.stringify(baseUrl)} is not.`,
      ),
    );
  }
  process.env["LONGWAVE_URL"] = "127.0.0.1:7670";
  assert.throws(
    () => new Longwave(),
    /^TypeError: LONGWAVE_URL must be .* "127\.0\.0\.1:7670" is not\.$/,
  );
  assert.throws(
    () => new Longwave({ baseUrl: "http://ada:secret@example.com" }),
    (error: Error) => /^baseUrl must be/.test(error.message) && !error.message.includes("secret"),
  );
});
