import { defineBench } from "./define.ts";
import { MEMORY_MEASURE_MS, memoryChecks } from "./memory.ts";
import { sandboxSending } from "./message-load.ts";

/** Memory growth under load. */
export const bench = defineBench({
  title: "Memory under load",
  async checks(stage) {
    const server = await stage.server({ LOG_LEVEL: "error" });
    const measureMs = MEMORY_MEASURE_MS;
    return memoryChecks(server, sandboxSending(stage, server, "POST /v1/messages", { measureMs }));
  },
});
