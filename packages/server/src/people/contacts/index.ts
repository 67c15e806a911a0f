export type { Addressee, ContactRow } from "./contact-row.ts";
export { contactMatches, readFilter } from "./filter.ts";
export {
  findContact,
  findContactByPhone,
  presentContacts,
  readAddresseesById,
  readContactById,
  readContactNames,
} from "./find.ts";
export { contactHandlers } from "./handlers.ts";
export { searchPhones } from "./list.ts";
export { EMPTY_CONTACT } from "./merge.ts";
export { ContactFault, readTags } from "./read-input.ts";
export {
  type ContactSelection,
  countSelected,
  readSelected,
  readSelectedIds,
} from "./selection.ts";
export { addTags, removeTags } from "./tags.ts";
export { lockForChanges, removeContacts } from "./write.ts";
