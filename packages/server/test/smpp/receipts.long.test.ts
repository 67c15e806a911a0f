import test from "node:test";
import { applySimulatedReceipts } from "./receipts.ts";

test("10,000 receipts of five carriers with the same ids: early, late, repeated, contradictory; each message ends once and correctly", (t) =>
  applySimulatedReceipts(t, { textsEach: 2_000, seed: 20_261_116 }));
