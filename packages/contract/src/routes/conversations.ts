import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { CONVERSATION_STATUSES } from "../enums.ts";
import {
  IdInput,
  Input,
  ListQuery,
  Nullable,
  Page,
  PhoneInput,
  SingleLine,
  StringEnum,
} from "../fields.ts";
import {
  CONVERSATION_NOTE_CHARS_MAX,
  MESSAGE_BODY_CHARS_MAX,
  SEARCH_CHARS_MAX,
  SNIPPET_NAME_CHARS_MAX,
} from "../limits.ts";
import {
  Conversation,
  ConversationNote,
  ConversationSummary,
  Snippet,
} from "../schemas/conversation.ts";

const TAG = "Conversations";
const EXAMPLE_PHONE = "+14155550123";
const EXAMPLE_NOTE = { phone: EXAMPLE_PHONE, id: "note_01jd0000000000000000000000" };
const EXAMPLE_SNIPPET = { id: "snip_01jd0000000000000000000000" };

const phoneParams = Input({
  phone: Type.String({ description: "The person's phone number, in any form." }),
});
const noteParams = Input({
  phone: Type.String({ description: "The person's phone number, in any form." }),
  id: Type.String({ description: "The note's id." }),
});
const snippetParams = Input({ id: Type.String({ description: "The snippet's id." }) });
const SnippetName = SingleLine({
  minLength: 1,
  maxLength: SNIPPET_NAME_CHARS_MAX,
  description: "Name of the snippet, unique in the account.",
});
const SnippetBody = Type.String({
  minLength: 1,
  maxLength: MESSAGE_BODY_CHARS_MAX,
  description: "Text that the snippet inserts.",
});

export const conversationRoutes = defineRoutes({
  "conversations.list": {
    method: "GET",
    path: "/v1/conversations",
    scope: "messages:read",
    tag: TAG,
    summary: "List conversations, the newest received message first",
    description:
      "One conversation per person who has written, across your numbers. A received message opens the conversation again and moves it to the top.",
    query: ListQuery({
      status: Type.Optional(StringEnum(CONVERSATION_STATUSES)),
      needs_reply: Type.Optional(
        Type.Boolean({ description: "Only open conversations without, or with, a reply." }),
      ),
      unread: Type.Optional(
        Type.Boolean({ description: "Only conversations with, or without, unread messages." }),
      ),
      assignee: Type.Optional(
        IdInput({ description: "Only conversations of this member; `none`: of nobody." }),
      ),
      number: Type.Optional(
        PhoneInput({ description: "Only people who texted this number of yours." }),
      ),
      phone_number: Type.Optional(PhoneInput({ description: "Only this person." })),
      q: Type.Optional(
        SingleLine({
          minLength: 1,
          maxLength: SEARCH_CHARS_MAX,
          description: "Digits of the phone number, or part of the contact's name.",
        }),
      ),
    }),
    answers: { 200: Page(Conversation) },
    errors: [],
    example: { query: { needs_reply: true }, status: 200 },
  },
  "conversations.summary": {
    method: "GET",
    path: "/v1/conversations/summary",
    scope: "messages:read",
    tag: TAG,
    summary: "Count unread and unanswered conversations",
    description: "Counts among the newest 500 open conversations that are unread or unanswered.",
    answers: { 200: ConversationSummary },
    errors: [],
    example: { status: 200 },
  },
  "conversations.get": {
    method: "GET",
    path: "/v1/conversations/{phone}",
    scope: "messages:read",
    tag: TAG,
    summary: "Read a conversation",
    description: "404 for a person who has not written. Read the messages by `number=`.",
    params: phoneParams,
    answers: { 200: Conversation },
    errors: ["not_found"],
    example: { params: { phone: EXAMPLE_PHONE }, status: 200 },
  },
  "conversations.update": {
    method: "PATCH",
    path: "/v1/conversations/{phone}",
    scope: "messages:send",
    tag: TAG,
    summary: "Assign, close, reopen or mark a conversation",
    description: "Absent fields stay unchanged. Closing also marks the conversation as read.",
    params: phoneParams,
    nullClears: true,
    body: Input({
      status: Type.Optional(StringEnum(CONVERSATION_STATUSES)),
      assignee: Type.Optional(
        Nullable(IdInput(), { description: "Id of a member of the account, or null for nobody." }),
      ),
      read: Type.Optional(
        Type.Boolean({ description: "true: nothing is unread. false: marks it as unread." }),
      ),
    }),
    answers: { 200: Conversation },
    errors: ["not_found"],
    example: { params: { phone: EXAMPLE_PHONE }, body: { status: "closed" }, status: 200 },
  },
  "conversations.notes": {
    method: "GET",
    path: "/v1/conversations/{phone}/notes",
    scope: "messages:read",
    tag: TAG,
    summary: "List the notes of a conversation, newest first",
    description: "Notes are internal: no person receives them.",
    params: phoneParams,
    query: ListQuery({}),
    answers: { 200: Page(ConversationNote) },
    errors: ["not_found"],
    example: { params: { phone: EXAMPLE_PHONE }, status: 200 },
  },
  "conversations.addNote": {
    method: "POST",
    path: "/v1/conversations/{phone}/notes",
    scope: "messages:send",
    tag: TAG,
    summary: "Add a note to a conversation",
    description: "The note keeps its author and is never sent.",
    params: phoneParams,
    body: Input({
      body: Type.String({
        minLength: 1,
        maxLength: CONVERSATION_NOTE_CHARS_MAX,
        description: "Text of the note.",
      }),
    }),
    answers: { 201: ConversationNote },
    errors: ["not_found", "limit_reached"],
    example: {
      params: { phone: EXAMPLE_PHONE },
      body: { body: "Called back, wants Tuesday." },
      status: 201,
    },
  },
  "conversations.deleteNote": {
    method: "DELETE",
    path: "/v1/conversations/{phone}/notes/{id}",
    scope: "messages:send",
    tag: TAG,
    summary: "Delete a note",
    description: "Answers the note as it was.",
    params: noteParams,
    answers: { 200: ConversationNote },
    errors: ["not_found"],
    example: { params: EXAMPLE_NOTE, status: 200 },
  },
  "snippets.list": {
    method: "GET",
    path: "/v1/snippets",
    scope: "messages:read",
    tag: TAG,
    summary: "List snippets by name",
    description: "Saved replies, shared by both modes.",
    query: ListQuery({}),
    answers: { 200: Page(Snippet) },
    errors: [],
    example: { query: { limit: 50 }, status: 200 },
  },
  "snippets.create": {
    method: "POST",
    path: "/v1/snippets",
    scope: "messages:send",
    tag: TAG,
    summary: "Create a snippet",
    description: "A second snippet of the same name, in any case, is refused.",
    body: Input({ name: SnippetName, body: SnippetBody }),
    answers: { 201: Snippet },
    errors: ["limit_reached", "already_exists"],
    example: {
      body: { name: "Opening hours", body: "We are open Monday to Friday, 9 to 5." },
      status: 201,
    },
  },
  "snippets.update": {
    method: "PATCH",
    path: "/v1/snippets/{id}",
    scope: "messages:send",
    tag: TAG,
    summary: "Change a snippet",
    description: "Absent fields stay unchanged.",
    params: snippetParams,
    nullClears: true,
    body: Input({ name: Type.Optional(SnippetName), body: Type.Optional(SnippetBody) }),
    answers: { 200: Snippet },
    errors: ["not_found", "already_exists"],
    example: { params: EXAMPLE_SNIPPET, body: { name: "Hours" }, status: 200 },
  },
  "snippets.delete": {
    method: "DELETE",
    path: "/v1/snippets/{id}",
    scope: "messages:send",
    tag: TAG,
    summary: "Delete a snippet",
    description: "Answers the snippet as it was.",
    params: snippetParams,
    answers: { 200: Snippet },
    errors: ["not_found"],
    example: { params: EXAMPLE_SNIPPET, status: 200 },
  },
});
