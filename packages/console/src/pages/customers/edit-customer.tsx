import { EXTERNAL_ID_CHARS_MAX, NAME_CHARS_MAX } from "@longwave/contract/tables";
import type { Customer } from "@longwave/sdk";
import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { FormDialog } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { toast } from "../../ui/toast.tsx";

/** Changes the name and the external id of a customer. */
export function EditCustomer(props: { customer: Customer; onClose: () => void }) {
  const { customer } = props;
  const [name, setName] = useState(customer.name);
  const [externalId, setExternalId] = useState(customer.external_id ?? "");
  const save = useAct(
    (_: undefined, { api }) =>
      api.customers.update(customer.id, { name, external_id: externalId.trim() || null }),
    {
      stale: ["customers"],
      onDone: (saved) => {
        toast(`${saved.name} is saved.`);
        props.onClose();
      },
    },
  );
  return (
    <FormDialog
      title={`Edit ${customer.name}`}
      isOpen
      onClose={props.onClose}
      onSubmit={() => save.mutate(undefined)}
      submit="Save"
      busy={save.isPending}
      error={errorBeside(save.error, ["name", "external_id"])}
    >
      <TextField
        label="Name"
        required
        maxLength={NAME_CHARS_MAX}
        value={name}
        error={errorAt(save.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="External ID"
        optional
        maxLength={EXTERNAL_ID_CHARS_MAX}
        value={externalId}
        error={errorAt(save.error, "external_id")}
        onChange={(event) => setExternalId(event.target.value)}
      />
    </FormDialog>
  );
}
