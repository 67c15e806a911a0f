/** Data that an import leaves with the other provider, and the calls that bring it over. */
export const NOT_COPIED = [
  "Message history stays with the other provider.",
  "Contacts are not copied: import them with POST /v1/contacts/import.",
  "Templates are not copied.",
  "Opt-outs are not copied: import them with POST /v1/consent/import before you send.",
];
