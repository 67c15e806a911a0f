export {
  ACCEPTED,
  type Behaviour,
  DELIVERED,
  ID_SPELLINGS,
  type IdSpelling,
  type ReceiptBehaviour,
  type ReceivedSubmit,
  SCRIPTED,
  scriptedBehaviour,
} from "./behaviour.ts";
export { SMSC_USAGE, startSmscCommand } from "./command.ts";
export { Journal, type JournalEntry, type JournalOptions, type SubmitEntry } from "./journal.ts";
export { type PhoneText, Smsc, type SmscOptions } from "./smsc.ts";
