import { type Static, Type } from "typebox";
import { CONVERSATION_STATUSES, KEY_MODES, MESSAGE_DIRECTIONS } from "../enums.ts";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";
import { messageMachine } from "../machines/message.ts";

const ConversationContact = Resource(
  "ConversationContact",
  {
    id: Id("contact"),
    name: Nullable(Type.String(), { description: "Name of the contact, or null." }),
  },
  { description: "Contact with the person's phone number." },
);

const ConversationAssignee = Resource(
  "ConversationAssignee",
  {
    id: Id("user"),
    name: Nullable(Type.String(), {
      description: "Name of the member; null for a former member or without a name.",
    }),
  },
  { description: "Member who takes care of the conversation." },
);

const ConversationMessage = Resource(
  "ConversationMessage",
  {
    id: Id("message"),
    direction: StringEnum(MESSAGE_DIRECTIONS),
    status: StringEnum(messageMachine.states),
    body: Type.String(),
    created_at: Timestamp(),
  },
  { description: "The last text between the person and your numbers, in short." },
);

export const Conversation = Resource(
  "Conversation",
  {
    object: Type.Literal("conversation"),
    phone_number: Type.String({
      description: "The person: E.164, or the sender as the carrier named it.",
    }),
    mode: StringEnum(KEY_MODES, { description: "Mode of the numbers that the person texted." }),
    status: StringEnum(CONVERSATION_STATUSES, {
      description: "`closed` until the person writes again.",
    }),
    contact: Nullable(ConversationContact, {
      description: "Contact with the person's phone number; null without one.",
    }),
    numbers: Type.Array(E164(), { description: "Numbers of yours that the person texted." }),
    number: E164({ description: "Number of yours that the person texted last: reply from it." }),
    unread: Type.Integer({ description: "Messages received since a member last read." }),
    needs_reply: Type.Boolean({
      description:
        "Whether nobody has replied since the person last wrote. Keywords such as STOP need no reply; batches, schedules, automations and automatic replies are none.",
    }),
    assignee: Nullable(ConversationAssignee, {
      description: "Member who takes care of the conversation; null while nobody does.",
    }),
    last_message: Nullable(ConversationMessage, {
      description: "Newest message in either direction.",
    }),
    received: Type.Integer({ description: "Messages received from the person." }),
    last_received_at: Timestamp({ description: "Time of the newest received message." }),
    created_at: Timestamp({ description: "Time of the first received message." }),
    closed_at: Nullable(Timestamp(), { description: "Time of closing; null while open." }),
  },
  { description: "All messages with one person, across your numbers." },
);
export type Conversation = Static<typeof Conversation>;

export const ConversationSummary = Resource(
  "ConversationSummary",
  {
    object: Type.Literal("conversation_summary"),
    unread: Type.Integer({ description: "Open conversations with unread messages." }),
    needs_reply: Type.Integer({ description: "Open conversations that need a reply." }),
    has_more: Type.Boolean({ description: "Whether there are more than were counted." }),
  },
  { description: "Counts of the newest open conversations." },
);
export type ConversationSummary = Static<typeof ConversationSummary>;

const NoteAuthor = Resource(
  "ConversationNoteAuthor",
  {
    id: Type.String({ description: "Id of the member or API key." }),
    name: Nullable(Type.String(), { description: "Name at the time of writing, or null." }),
  },
  { description: "Member of the console, or API key, that wrote it." },
);

export const ConversationNote = Resource(
  "ConversationNote",
  {
    id: Id("conversation_note"),
    object: Type.Literal("conversation_note"),
    phone_number: Type.String({ description: "The person of the conversation." }),
    body: Type.String({ description: "Text of the note. It is never sent." }),
    author: NoteAuthor,
    created_at: Timestamp(),
  },
  { description: "A remark for your own people; it is never sent." },
);
export type ConversationNote = Static<typeof ConversationNote>;

export const Snippet = Resource(
  "Snippet",
  {
    id: Id("snippet"),
    object: Type.Literal("snippet"),
    name: Type.String({ description: "Name of the snippet, unique in the account." }),
    body: Type.String({ description: "Text that the snippet inserts." }),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { description: "Saved reply for conversations." },
);
export type Snippet = Static<typeof Snippet>;
