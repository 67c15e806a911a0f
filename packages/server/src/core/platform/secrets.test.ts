import assert from "node:assert/strict";
import { test } from "node:test";
import { systemRandom } from "./random.ts";
import { createSecrets } from "./secrets.ts";

test("a secret decrypts for the row that stores it, and for no other", () => {
  const secrets = createSecrets(Buffer.alloc(32, 1), systemRandom());
  const sealed = secrets.encrypt("JBSWY3DP", ["totp", "ada"]);
  assert.equal(secrets.decrypt(sealed, ["totp", "ada"]), "JBSWY3DP");
  for (const owner of [
    ["totp", "eve"],
    ["webhook-endpoint", "ada"],
    ["totp ada", ""],
  ] as const) {
    assert.throws(() => secrets.decrypt(sealed, owner), /authenticate/);
  }
  assert.throws(() => secrets.decrypt(sealed.subarray(0, 20), ["totp", "ada"]));
});
