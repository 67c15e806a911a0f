import { test } from "node:test";
import { nodesUnderFaults } from "./nodes-under-faults.ts";

test("two nodes, one of them cut off from the database for a while: nothing is lost or doubled", async (t) => {
  await nodesUnderFaults(t, { nodes: 2, clients: 4, faults: ["cut"], faultMs: 1_500 });
});
