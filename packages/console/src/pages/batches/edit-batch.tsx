import { BATCH_NAME_CHARS_MAX } from "@longwave/contract/tables";
import type { Batch } from "@longwave/sdk";
import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { fromDatetimeField, toDatetimeField, zoneName } from "../../ui/datetime-field.ts";
import { FormDialog } from "../../ui/dialog.tsx";
import { AreaField, errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { toast } from "../../ui/toast.tsx";
import { SegmentMeter } from "../messages/segment-meter.tsx";

const FIELDS = ["name", "body", "scheduled_at"] as const;

/** Changes name, text and time of a scheduled batch; its people stay. */
export function EditBatch(props: { batch: Batch }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button icon="clock" onClick={() => setIsOpen(true)}>
        Edit
      </Button>
      {isOpen && <EditDialog batch={props.batch} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function EditDialog(props: { batch: Batch; onClose: () => void }) {
  const { batch, onClose } = props;
  const was = toDatetimeField(batch.scheduled_at ?? batch.created_at);
  const [name, setName] = useState(batch.name ?? "");
  const [body, setBody] = useState(batch.body);
  const [at, setAt] = useState(was);
  const save = useAct(
    (_: undefined, { api }) =>
      api.batches.update(batch.id, {
        name: name.trim() || null,
        body,
        // The field shows minutes: an untouched time keeps its seconds.
        ...(at === was ? {} : { scheduled_at: fromDatetimeField(at) }),
      }),
    {
      stale: ["batch", "batches", "scheduled"],
      onDone: () => {
        onClose();
        toast("Saved.");
      },
    },
  );
  return (
    <FormDialog
      title="Edit the batch"
      isOpen
      onClose={onClose}
      onSubmit={() => save.mutate(undefined)}
      submit="Save"
      busy={save.isPending}
      disabled={body.trim() === "" || at === ""}
      error={errorBeside(save.error, FIELDS)}
    >
      <TextField
        label="Name"
        optional
        maxLength={BATCH_NAME_CHARS_MAX}
        value={name}
        error={errorAt(save.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
      <AreaField
        label="Text"
        required
        rows={5}
        value={body}
        error={errorAt(save.error, "body")}
        onChange={(event) => setBody(event.target.value)}
      />
      <SegmentMeter body={body} />
      <TextField
        label="Send at"
        required
        type="datetime-local"
        value={at}
        error={errorAt(save.error, "scheduled_at")}
        help={`In your time zone, ${zoneName()}.`}
        onChange={(event) => setAt(event.target.value)}
      />
    </FormDialog>
  );
}
