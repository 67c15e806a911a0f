import type { Contact } from "@longwave/sdk";
import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { TagsField } from "../../ui/tags.tsx";

interface Attribute {
  readonly id: number;
  readonly name: string;
  readonly value: string;
}

/** Creates or edits a contact. */
export function ContactDialog(props: {
  contact: Contact | null;
  onClose: () => void;
  onSaved: (contact: Contact) => void;
}) {
  const { contact } = props;
  const [phone, setPhone] = useState(contact?.phone_number ?? "");
  const [name, setName] = useState(contact?.name ?? "");
  const [email, setEmail] = useState(contact?.email ?? "");
  const [company, setCompany] = useState(contact?.company ?? "");
  const [tags, setTags] = useState<readonly string[]>(contact?.tags ?? []);
  const [attributes, setAttributes] = useState<readonly Attribute[]>(() =>
    Object.entries(contact?.attributes ?? {}).map(([key, value], id) => ({ id, name: key, value })),
  );
  const save = useAct(
    (_: undefined, { api, idempotencyKey }) => {
      const body = {
        phone_number: phone,
        name: name || null,
        email: email || null,
        company: company || null,
        tags: [...tags],
        attributes: Object.fromEntries(
          attributes.filter((each) => each.name !== "").map((each) => [each.name, each.value]),
        ),
      };
      return contact
        ? api.contacts.update(contact.id, body)
        : api.contacts.upsert(body, { idempotencyKey });
    },
    { stale: ["contacts"], onDone: props.onSaved },
  );
  const fields = ["phone_number", "name", "email", "company", "tags"];
  return (
    <FormDialog
      title={contact ? "Edit contact" : "New contact"}
      isOpen
      onClose={props.onClose}
      onSubmit={() => save.mutate(undefined)}
      submit="Save"
      busy={save.isPending}
      error={errorBeside(save.error, fields)}
    >
      <TextField
        label="Phone"
        required
        inputMode="tel"
        value={phone}
        error={errorAt(save.error, "phone_number")}
        onChange={(event) => setPhone(event.target.value)}
      />
      <TextField
        label="Name"
        optional
        value={name}
        error={errorAt(save.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Email"
        optional
        value={email}
        error={errorAt(save.error, "email")}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label="Company"
        optional
        value={company}
        error={errorAt(save.error, "company")}
        onChange={(event) => setCompany(event.target.value)}
      />
      <TagsField label="Tags" tags={tags} error={errorAt(save.error, "tags")} onChange={setTags} />
      <AttributesField attributes={attributes} onChange={setAttributes} />
    </FormDialog>
  );
}

function AttributesField(props: {
  attributes: readonly Attribute[];
  onChange: (attributes: readonly Attribute[]) => void;
}) {
  const { attributes, onChange } = props;
  const change = (id: number, part: Partial<Attribute>) =>
    onChange(attributes.map((each) => (each.id === id ? { ...each, ...part } : each)));
  const add = () => {
    const id = Math.max(-1, ...attributes.map((each) => each.id)) + 1;
    onChange([...attributes, { id, name: "", value: "" }]);
  };
  return (
    <fieldset className="pairs">
      <legend>Attributes</legend>
      {attributes.map((each) => (
        <div key={each.id} className="pair">
          <input
            className="input"
            aria-label="Name of the attribute"
            placeholder="plan"
            value={each.name}
            onChange={(event) => change(each.id, { name: event.target.value })}
          />
          <input
            className="input"
            aria-label={`Value of ${each.name || "the attribute"}`}
            placeholder="gold"
            value={each.value}
            onChange={(event) => change(each.id, { value: event.target.value })}
          />
          <Button
            kind="ghost"
            icon="x"
            aria-label={`Remove ${each.name || "the attribute"}`}
            onClick={() => onChange(attributes.filter((other) => other.id !== each.id))}
          />
        </div>
      ))}
      <Button size="small" icon="plus" onClick={add}>
        Add an attribute
      </Button>
    </fieldset>
  );
}
