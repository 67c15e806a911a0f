import { test } from "node:test";
import { crashTask } from "../../../testing/journal-tasks.ts";
import { surviveJob } from "../../../testing/poison-job.ts";

test("a job that kills its workers is quarantined after three, and no other job with it", (t) =>
  surviveJob(t, crashTask, "SIGKILL"));
