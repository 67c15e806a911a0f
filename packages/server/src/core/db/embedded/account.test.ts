import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePasswd } from "./account.ts";

test("parses the passwd files of Linux and macOS", () => {
  const text = [
    "##",
    "# User Database",
    "##",
    "nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false",
    "postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash",
    "broken",
    "",
  ].join("\n");
  assert.deepEqual(parsePasswd(text), [
    { name: "nobody", uid: 4294967294, gid: 4294967294 },
    { name: "postgres", uid: 101, gid: 104 },
  ]);
});
