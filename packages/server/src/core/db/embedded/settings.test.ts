import assert from "node:assert/strict";
import test from "node:test";
import { memoryOf, sharedBuffersMb, walMb } from "./settings.ts";

const GB = 1024 ** 3;

test("shared_buffers is an eighth of the memory, within bounds", () => {
  assert.equal(sharedBuffersMb(4 * GB), 512);
  assert.equal(sharedBuffersMb(128 * GB), 8_192, "no more than is of use");
  assert.equal(sharedBuffersMb(0.5 * GB), 128, "no less than it needs");
});

test("the log between two checkpoints is a sixteenth of the memory, within bounds", () => {
  assert.equal(walMb(4 * GB), 2_048);
  assert.equal(walMb(64 * GB), 4_096);
  assert.equal(walMb(256 * GB), 8_192);
});

test("a container has the memory that it may use", () => {
  assert.equal(memoryOf(64 * GB, 2 * GB), 2 * GB);
  assert.equal(memoryOf(64 * GB, 2 ** 60), 64 * GB);
  assert.equal(memoryOf(64 * GB, 0), 64 * GB);
});
