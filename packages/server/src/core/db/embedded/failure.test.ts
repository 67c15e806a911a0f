import assert from "node:assert/strict";
import { test } from "node:test";
import { EmbeddedFailure, explainFileError } from "./failure.ts";

function fileError(code: string): Error {
  return Object.assign(new Error(`${code}: something, write`), { code });
}

test("turns file system errors into one line with a remedy", () => {
  const lines = ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "ENOTDIR", "EEXIST"].map(
    (code) => {
      const explained = explainFileError(fileError(code), "/data");
      assert.ok(explained instanceof EmbeddedFailure, code);
      assert.ok(!explained.message.includes("\n"));
      assert.match(explained.message, /\/data .*LONGWAVE_DATA/);
      return explained.message;
    },
  );
  assert.match(lines[0] ?? "", /is full/);
});

test("returns other errors unchanged", () => {
  const error = fileError("EIO");
  assert.equal(explainFileError(error, "/data"), error);
});
