import assert from "node:assert/strict";
import test from "node:test";
import { sharedBuffersMb } from "./settings.ts";

const GB = 1024 ** 3;

test("shared_buffers is an eighth of the memory, within bounds", () => {
  assert.equal(sharedBuffersMb(4 * GB, 0), 512);
  assert.equal(sharedBuffersMb(64 * GB, 2 ** 60), 1_024, "no more than is of use");
  assert.equal(sharedBuffersMb(64 * GB, 2 * GB), 256, "a container has what it may have");
  assert.equal(sharedBuffersMb(0.5 * GB, 0), 128, "no less than it needs");
});
