import test from "node:test";
import { bringReceipts } from "./receipts.ts";

test("receipts of five carriers with the same ids: early, late, repeated, contradictory, each text ends once and right", (t) =>
  bringReceipts(t, { textsEach: 60, seed: 2 }));
