import { defineBench } from "./define.ts";
import { sandboxSending } from "./texts.ts";

/** What the console's request log costs: the same texts with it and without. */
export const bench = defineBench({
  title: "The request log",
  async rows(stage) {
    const logged = await stage.server({ LOG_LEVEL: "error" });
    const unlogged = await stage.server({ LOG_LEVEL: "error", LONGWAVE_REQUEST_LOG: "0" });
    return [
      {
        ours: sandboxSending(stage, logged, "POST /v1/messages, logged"),
        other: sandboxSending(stage, unlogged, "the same without the log"),
        floor: 0.97,
      },
    ];
  },
});
