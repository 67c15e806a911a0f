import type { Topic } from "@longwave/sdk";
import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { FormDialog } from "../../ui/dialog.tsx";
import {
  AreaField,
  CheckField,
  errorAt,
  errorBeside,
  SelectField,
  TextField,
} from "../../ui/field.tsx";

const DEFAULTS = [
  { value: "subscribed", label: "Subscribed" },
  { value: "unsubscribed", label: "Unsubscribed" },
];

export function TopicDialog(props: {
  topic: Topic | null;
  onClose: () => void;
  onSaved: (topic: Topic) => void;
}) {
  const { topic } = props;
  const [name, setName] = useState(topic?.name ?? "");
  const [description, setDescription] = useState(topic?.description ?? "");
  const [byDefault, setByDefault] = useState<Topic["default"]>(topic?.default ?? "subscribed");
  const [needsOptIn, setNeedsOptIn] = useState(topic?.opt_in_required ?? false);
  const save = useAct(
    (_: undefined, { api, idempotencyKey }) => {
      const body = {
        name,
        description: description || null,
        default: byDefault,
        opt_in_required: needsOptIn,
      };
      return topic
        ? api.topics.update(topic.id, body)
        : api.topics.create(body, { idempotencyKey });
    },
    { stale: ["topics"], onDone: props.onSaved },
  );
  return (
    <FormDialog
      title={topic ? "Edit topic" : "New topic"}
      isOpen
      onClose={props.onClose}
      onSubmit={() => save.mutate(undefined)}
      submit="Save"
      busy={save.isPending}
      error={errorBeside(save.error, ["name", "description"])}
    >
      <TextField
        label="Name"
        required
        placeholder="Weekly offers"
        value={name}
        error={errorAt(save.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
      <AreaField
        label="Description and frequency"
        optional
        rows={2}
        value={description}
        error={errorAt(save.error, "description")}
        onChange={(event) => setDescription(event.target.value)}
      />
      <SelectField
        label="Default"
        value={byDefault}
        choices={DEFAULTS}
        onChange={(event) => setByDefault(event.target.value as Topic["default"])}
      />
      <CheckField
        label="Only with an opt-in"
        help="Batches under this topic leave out people without an opt-in in the consent ledger, those that wait already, too."
        checked={needsOptIn}
        onChange={setNeedsOptIn}
      />
    </FormDialog>
  );
}
