import { testRestart } from "../../../../testing/provider-restart.ts";
import { PRESETS } from "./index.ts";

for (const type of PRESETS.keys()) testRestart(type);
