import { test } from "node:test";
import { nodesUnderFaults } from "./nodes-under-faults.ts";

test("four nodes under load, killed, stopped for 60 s and disconnected for 60 s, one after another", async (t) => {
  const faults = ["kill", "stop", "cut"] as const;
  await nodesUnderFaults(t, { nodes: 4, clients: 8, faults, faultMs: 60_000 });
});
