import { test } from "node:test";
import { nodesUnderFaults } from "./nodes-under-faults.ts";

test("four nodes, each killed, stopped for 60 s and cut off for 60 s in turn, under load", async (t) => {
  const faults = ["kill", "stop", "cut"] as const;
  await nodesUnderFaults(t, { nodes: 4, clients: 8, faults, faultMs: 60_000 });
});
