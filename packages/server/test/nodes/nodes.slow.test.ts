import { test } from "node:test";
import { nodesUnderFaults } from "./nodes-under-faults.ts";

test("two nodes, one disconnected from the database: nothing is lost or duplicated", async (t) => {
  await nodesUnderFaults(t, { nodes: 2, clients: 4, faults: ["cut"], faultMs: 1_500 });
});
