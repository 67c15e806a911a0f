import { CONTACT_COLUMNS, contactCells, csvRow } from "@longwave/contract/tables";
import type { Contact } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { storeDraft } from "../../draft.ts";
import { namesOf } from "../../lists/selection.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, FormDialog } from "../../ui/dialog.tsx";
import { Segmented } from "../../ui/field.tsx";
import { saveFile } from "../../ui/files.ts";
import { formatPhone, plural } from "../../ui/format.ts";
import { TagsField } from "../../ui/tags.tsx";
import { toast } from "../../ui/toast.tsx";
import { EMPTY_FORM } from "../batches/form.ts";

type TagAction = "add_tags" | "remove_tags";

export function contactName(contact: Contact): string {
  return contact.name ?? formatPhone(contact.phone_number);
}

interface Selected {
  readonly selected: readonly Contact[];
  readonly clear: () => void;
}

/** Actions on the selected contacts: text, tag, export, delete. */
export function ContactBulkActions(props: Selected) {
  const { base, mode } = useAccount();
  const isAdmin = useHasRole("admin");
  const navigate = useNavigate();
  const text = () => {
    const contactIds = props.selected.map(({ id }) => id);
    storeDraft(`batch.${mode}`, { ...EMPTY_FORM, audience: "contacts", contactIds });
    void navigate({ to: `${base}/batches/new`, search: {} } as never);
  };
  return (
    <>
      <Button size="small" icon="send" onClick={text}>
        Text
      </Button>
      <TagSelected {...props} />
      {isAdmin && (
        <Button size="small" icon="download" onClick={() => save(props.selected)}>
          Export
        </Button>
      )}
      {isAdmin && <DeleteSelected {...props} />}
    </>
  );
}

/** Saves the contacts like the export of the whole list: same columns, same cells. */
function save(contacts: readonly Contact[]): void {
  const rows = contacts.map((contact) => {
    const cells = contactCells(contact);
    return csvRow(CONTACT_COLUMNS.map((column) => cells[column]));
  });
  saveFile("contacts.csv", "text/csv", [csvRow(CONTACT_COLUMNS), ...rows].join(""));
}

const TAG_CHOICES = [
  { value: "add_tags", label: "Add" },
  { value: "remove_tags", label: "Remove" },
] as const;

function TagSelected(props: Selected) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="small" icon="tag" onClick={() => setIsOpen(true)}>
        Tag
      </Button>
      {isOpen && <TagDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function TagDialog(props: Selected & { onClose: () => void }) {
  const { selected } = props;
  const [action, setAction] = useState<TagAction>("add_tags");
  const [tags, setTags] = useState<readonly string[]>([]);
  const change = useAct(
    (_: undefined, { api }) =>
      api.contacts.bulk({ action, ids: selected.map(({ id }) => id), tags: [...tags] }),
    {
      stale: ["contacts"],
      onDone: ({ applied }) => {
        props.onClose();
        props.clear();
        const verb = action === "add_tags" ? "tagged" : "untagged";
        toast(`${plural(applied, "contact")} ${verb}.`);
      },
    },
  );
  return (
    <FormDialog
      title={`Tag ${plural(selected.length, "contact")}`}
      isOpen
      onClose={props.onClose}
      onSubmit={() => change.mutate(undefined)}
      submit={action === "add_tags" ? "Add tags" : "Remove tags"}
      busy={change.isPending}
      disabled={tags.length === 0}
      error={change.error}
    >
      <p className="muted">{namesOf(selected.map(contactName))}</p>
      <Segmented label="Change" value={action} choices={TAG_CHOICES} onChange={setAction} />
      <TagsField label="Tags" help="Enter or a comma ends a tag." tags={tags} onChange={setTags} />
    </FormDialog>
  );
}

function DeleteSelected(props: Selected) {
  const { selected, clear } = props;
  const [isAsking, setIsAsking] = useState(false);
  const count = plural(selected.length, "contact");
  const remove = useAct(
    (_: undefined, { api }) =>
      api.contacts.bulk({ action: "delete", ids: selected.map(({ id }) => id) }),
    {
      stale: ["contacts"],
      onDone: ({ applied }) => {
        setIsAsking(false);
        clear();
        toast(`${plural(applied, "contact")} deleted.`);
      },
    },
  );
  return (
    <>
      <Button kind="danger" size="small" icon="trash" onClick={() => setIsAsking(true)}>
        Delete
      </Button>
      <Confirm
        title={`Delete ${count}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate(undefined)}
        action={`Delete ${count}`}
        busy={remove.isPending}
        error={remove.error}
      >
        {namesOf(selected.map(contactName))}. Their messages and what they agreed to stay: an
        opt-out is never forgotten.
      </Confirm>
    </>
  );
}
