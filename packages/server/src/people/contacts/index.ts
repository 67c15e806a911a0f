export { type Choice, countChosen, readChosen, readChosenIds } from "./choose.ts";
export type { ContactRow } from "./contact-row.ts";
export {
  findContact,
  findContactByPhone,
  presentContacts,
  readAddresseesById,
  readContactById,
} from "./find.ts";
export { contactHandlers } from "./handlers.ts";
export { contactMatches } from "./matches.ts";
export { NOBODY } from "./merge.ts";
export { readFilter } from "./read-filter.ts";
export { ContactFault, readTags } from "./read-input.ts";
export { addTags, removeTags } from "./tags.ts";
export { type Addressee, contactVariable, contactVariables } from "./variables.ts";
export { lockForChanges } from "./write.ts";
