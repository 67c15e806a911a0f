import type { ContactRow } from "./contact-row.ts";

type Known = Pick<ContactRow, "name" | "email" | "company" | "attributes">;
/** A contact as far as a text to it needs it. */
export type Addressee = Known & Pick<ContactRow, "id" | "phone_number">;

const BUILT_IN = ["name", "first_name", "email", "company"] as const;

/** What merge variables are filled with: the contact's own fields, then its attributes by their names. */
export function contactVariables(contact: Known): Record<string, string> {
  const variables: Record<string, string> = { ...contact.attributes };
  for (const name of BUILT_IN) {
    const value = contactVariable(contact, name);
    if (value !== undefined) variables[name] = value;
  }
  return variables;
}

/** One of them; a batch asks for the few that its text has, of thousands of contacts. */
export function contactVariable(contact: Known, name: string): string | undefined {
  const own = ownField(contact, name);
  if (own) return own;
  const { attributes } = contact;
  return attributes !== null && Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

function ownField(contact: Known, name: string): string | null | undefined {
  switch (name) {
    case "name":
    case "email":
    case "company":
      return contact[name];
    case "first_name":
      return contact.name?.split(/\s+/, 1)[0];
    default:
      return null;
  }
}
