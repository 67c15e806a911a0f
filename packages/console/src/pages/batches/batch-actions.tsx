import type { Batch, ControlledBatch } from "@longwave/sdk";
import { useState } from "react";
import { useMay } from "../../api/account.tsx";
import { type ActContext, useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { plural } from "../../ui/format.ts";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";

type Verb = "pause" | "resume" | "cancel" | "retry";

const SWEEPS_MAX = 50;

/** Does it, and again while the server says that not every recipient has been reached. */
async function control(verb: Verb, id: string, { api }: ActContext): Promise<ControlledBatch> {
  let answer = await api.batches[verb](id);
  let affected = answer.affected;
  for (let sweeps = 1; !answer.sweep_complete && sweeps < SWEEPS_MAX; sweeps++) {
    answer = await api.batches[verb](id);
    affected += answer.affected;
  }
  return { ...answer, affected };
}

const DONE: Readonly<Record<Verb, (people: string) => string>> = {
  pause: (people) => `Paused: ${people} held.`,
  resume: (people) => `Going on with ${people}.`,
  cancel: (people) => `Canceled for ${people}.`,
  retry: (people) => `Trying ${people} again.`,
};

export function BatchActions(props: { batch: Batch }) {
  const { batch } = props;
  const mayControl = useMay("member");
  const [isAsking, setIsAsking] = useState(false);
  const [verb, setVerb] = useState<Verb | null>(null);
  const act = useAct((wanted: Verb, context) => control(wanted, batch.id, context), {
    stale: ["batch", "batches"],
    onDone: (answer) => {
      setIsAsking(false);
      if (verb) toast(DONE[verb](plural(answer.affected, "person", "people")));
    },
  });
  if (!mayControl) return null;
  const run = (wanted: Verb) => {
    setVerb(wanted);
    act.mutate(wanted);
  };
  const { status, counts } = batch;
  const unsent = counts.queued + counts.paused;
  const isOpen = status === "scheduled" || status === "sending" || status === "paused";
  return (
    <>
      {act.error && !isAsking ? <ErrorBox error={act.error} /> : null}
      {(status === "scheduled" || status === "sending") && (
        <Button icon="pause" busy={act.isPending && verb === "pause"} onClick={() => run("pause")}>
          Pause
        </Button>
      )}
      {status === "paused" && (
        <Button
          kind="primary"
          icon="play"
          busy={act.isPending && verb === "resume"}
          onClick={() => run("resume")}
        >
          Resume
        </Button>
      )}
      {status === "complete" && counts.failed > 0 && (
        <Button icon="retry" busy={act.isPending} onClick={() => run("retry")}>
          Retry what can succeed
        </Button>
      )}
      {isOpen && (
        <Button kind="danger" icon="stop" onClick={() => setIsAsking(true)}>
          Cancel
        </Button>
      )}
      <Confirm
        title="Cancel this batch?"
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => run("cancel")}
        action="Cancel the batch"
        busy={act.isPending}
        error={act.error}
      >
        {plural(unsent, "person", "people")} will not get the text. What a carrier already has still
        goes out. This cannot be taken back.
      </Confirm>
    </>
  );
}
