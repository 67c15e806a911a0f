import test from "node:test";
import { exhaustTask } from "../../../testing/journal-tasks.ts";
import { surviveJob } from "../../../testing/poison-job.ts";

test("a job whose payload takes all memory is quarantined after three workers, and no other job with it", (t) =>
  surviveJob(t, exhaustTask, "SIGABRT"));
