import assert from "node:assert/strict";
import { test } from "node:test";
import {
  formatBytes,
  formatPhone,
  formatRelative,
  formatTook,
  formatUsd,
  plural,
} from "./format.ts";

const NOW = Date.parse("2026-11-16T12:00:00.000Z");
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

test("recent and near times are relative, others are dates", () => {
  assert.equal(formatRelative(at(-2), NOW), "just now");
  assert.equal(formatRelative(at(-180), NOW), "3 min ago");
  assert.equal(formatRelative(at(12), NOW), "in 12 s");
  assert.equal(formatRelative(at(-86_400), NOW), "1 day ago");
  assert.match(formatRelative(at(-86_400 * 30), NOW), /2026/);
});

test("amounts below a cent keep their fraction, others have two decimals", () => {
  assert.equal(formatUsd(0.95), "$0.95");
  assert.equal(formatUsd(0.009), "$0.009");
  assert.equal(formatUsd(0.0045), "$0.0045");
  assert.equal(formatUsd(12), "$12.00");
  assert.equal(formatUsd(0), "$0.00");
});

test("sizes have one digit below ten, and none above", () => {
  const sizes = [0, 512, 1_536, 43_000_000, 1_300_000_000_000, 2 ** 60];
  const words = ["0 bytes", "512 bytes", "1.5 KB", "41 MB", "1.2 TB", "1048576 TB"];
  assert.deepEqual(sizes.map(formatBytes), words);
});

test("phones, durations and counts read as people write them", () => {
  assert.equal(formatPhone("+14155550123"), "(415) 555-0123");
  assert.equal(formatPhone("pool_01"), "pool_01");
  assert.equal(formatTook(41), "41 ms");
  assert.equal(formatTook(4_100), "4.1 s");
  assert.equal(plural(1, "person", "people"), "1 person");
  assert.equal(plural(4_812, "person", "people"), "4,812 people");
});
