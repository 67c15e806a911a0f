import { Type } from "typebox";
import { defineTask } from "../../core/queue/task.ts";
import { returnToStock } from "./sql.ts";

/** Returns a released number to stock after its cooldown. */
export const cooldownTask = defineTask({
  name: "numbers.end_cooldown",
  payload: Type.Object({ number_id: Type.String(), phone_number: Type.String() }),
  retryDelaysSeconds: [10, 60, 600, 3_600, 21_600, 86_400],
  timeoutMs: 10_000,
  async run(deps, { number_id, phone_number }) {
    await deps.db.query(returnToStock, [number_id, phone_number]);
    return "done";
  },
});
