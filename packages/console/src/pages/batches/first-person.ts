import { contactVariables } from "@longwave/contract/tables";
import type { Contact, Longwave } from "@longwave/sdk";
import { useRead } from "../../api/queries.ts";
import { type BatchForm, type Recipient, recipientOf } from "./form.ts";

/** The first of the people who get a batch: their values fill its preview and its test. */
export interface FirstPerson extends Recipient {
  /** The contact's name; null without one, and for a row of a file. */
  readonly name: string | null;
}

/** The first person of the draft's audience; null while it has nobody, undefined until read. */
export function useFirstPerson(form: BatchForm): FirstPerson | null | undefined {
  const { audience, segmentId, tags, contactIds } = form;
  const contact = useRead(
    ["contacts", "first", audience, segmentId, tags, contactIds],
    (api, signal) => firstContact(form, api, signal),
    { enabled: audience !== "file" },
  ).data;
  if (audience !== "file") return contact && personOf(contact);
  const [row] = form.table?.rows ?? [];
  return row === undefined ? null : { ...recipientOf(form, row), name: null };
}

function personOf(contact: Contact): FirstPerson {
  return {
    to: contact.phone_number,
    name: contact.name,
    variables: contactVariables(contact),
  };
}

async function firstContact(
  form: BatchForm,
  { contacts }: Longwave,
  signal: AbortSignal,
): Promise<Contact | null> {
  const [firstId] = form.contactIds;
  if (form.audience === "contacts") {
    return firstId === undefined ? null : contacts.get(firstId, { signal });
  }
  // The list filters by one tag; a batch goes to contacts with any of its tags.
  const filters =
    form.audience === "segment"
      ? [{ segment_id: form.segmentId }]
      : form.tags.map((tag) => ({ tag }));
  for (const filter of filters) {
    const { data } = await contacts.list({ ...filter, limit: 1 }, { signal });
    if (data[0]) return data[0];
  }
  return null;
}
