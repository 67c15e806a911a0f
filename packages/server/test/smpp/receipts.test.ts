import test from "node:test";
import { applySimulatedReceipts } from "./receipts.ts";

test("receipts of five carriers with the same ids: early, late, repeated, contradictory, each message ends once and correctly", (t) =>
  applySimulatedReceipts(t, { textsEach: 60, seed: 2 }));
