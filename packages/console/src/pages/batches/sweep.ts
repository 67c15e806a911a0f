import type { ControlledBatch } from "@longwave/sdk";

export type Verb = "pause" | "resume" | "cancel" | "retry";

type Controls = Readonly<Record<Verb, (id: string) => PromiseLike<ControlledBatch>>>;

const SWEEPS_MAX = 50;

/** Recipients that the verb still has to change. */
function leftOf(verb: Verb, { counts }: ControlledBatch): number {
  if (verb === "retry") return counts.failed;
  if (verb === "resume") return counts.paused;
  return verb === "pause" ? counts.queued : counts.queued + counts.paused;
}

/** Repeats the call while the server reports recipients that it has not reached. */
export async function sweep(
  verb: Verb,
  id: string,
  batches: Controls,
  onLeft: (people: number) => void,
): Promise<ControlledBatch> {
  let answer = await batches[verb](id);
  let affected = answer.affected;
  for (let sweeps = 1; !answer.sweep_complete && sweeps < SWEEPS_MAX; sweeps++) {
    onLeft(leftOf(verb, answer));
    answer = await batches[verb](id);
    affected += answer.affected;
  }
  return { ...answer, affected };
}
