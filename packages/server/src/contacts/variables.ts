import type { ContactRow } from "./contact-row.ts";

type Known = Pick<ContactRow, "name" | "email" | "company" | "attributes">;
/** A contact as far as a text to it needs it. */
export type Addressee = Known & Pick<ContactRow, "id" | "phone_number">;

/** What merge variables are filled with: the contact's own fields, then its attributes by their names. */
export function contactVariables(contact: Known): Record<string, string> {
  const { name, email, company, attributes } = contact;
  const firstName = name?.split(/\s+/, 1)[0];
  return {
    ...attributes,
    ...(name ? { name } : {}),
    ...(firstName ? { first_name: firstName } : {}),
    ...(email ? { email } : {}),
    ...(company ? { company } : {}),
  };
}
