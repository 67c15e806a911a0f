import type { Batch } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { storeDraft } from "../../draft.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { copyOf } from "./copy-of.ts";
import { EditBatch } from "./edit-batch.tsx";
import { sweep, type Verb } from "./sweep.ts";

const DOING: Readonly<Record<Verb, string>> = {
  pause: "Pausing",
  resume: "Resuming",
  cancel: "Canceling",
  retry: "Trying again",
};

const DONE: Readonly<Record<Verb, (people: string) => string>> = {
  pause: (people) => `Paused, ${people} on hold.`,
  resume: (people) => `Resumed, ${people} left.`,
  cancel: (people) => `Canceled for ${people}.`,
  retry: (people) => `Trying ${people} again.`,
};

export function BatchActions(props: { batch: Batch }) {
  const { batch } = props;
  const mayControl = useHasRole("member");
  const [isAsking, setIsAsking] = useState(false);
  const [verb, setVerb] = useState<Verb | null>(null);
  const [left, setLeft] = useState(0);
  const act = useAct((wanted: Verb, { api }) => sweep(wanted, batch.id, api.batches, setLeft), {
    stale: ["batch", "batches"],
    onDone: (answer) => {
      setLeft(0);
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
      {act.isPending && verb !== null && left > 0 && (
        <span className="meta" role="status">
          {DOING[verb]}, {formatCount(left)} left
        </span>
      )}
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
      {status === "scheduled" && <EditBatch batch={batch} />}
      <Duplicate batch={batch} />
      {status === "complete" && counts.failed > 0 && (
        <Button icon="retry" busy={act.isPending} onClick={() => run("retry")}>
          Retry failed
        </Button>
      )}
      {isOpen && (
        <Button kind="danger" icon="stop" onClick={() => setIsAsking(true)}>
          Cancel
        </Button>
      )}
      <Confirm
        title={`Cancel ${props.batch.name ?? "this batch"}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => run("cancel")}
        action="Cancel the batch"
        dismiss="Keep it"
        busy={act.isPending}
        error={act.error}
      >
        {plural(unsent, "person", "people")} will not get the text. What a carrier already has still
        goes out. This can't be undone.
      </Confirm>
    </>
  );
}

/** Opens a new batch with the text and the people of this one. */
function Duplicate(props: { batch: Batch }) {
  const { base, mode } = useAccount();
  const navigate = useNavigate();
  const copy = useAct((_: undefined, { api }) => copyOf(props.batch, api.batches), {
    onDone: (form) => {
      storeDraft(`batch.${mode}`, form);
      void navigate({ to: `${base}/batches/new`, search: {} } as never);
    },
  });
  return (
    <>
      {copy.error ? <ErrorBox error={copy.error} /> : null}
      <Button icon="copy" busy={copy.isPending} onClick={() => copy.mutate(undefined)}>
        Duplicate
      </Button>
    </>
  );
}
