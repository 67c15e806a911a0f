import { type Static, Type } from "typebox";
import { HOOK_PRESET_NAMES } from "../enums.ts";
import {
  E164,
  Id,
  ModeOf,
  Nullable,
  PhoneInput,
  Resource,
  SingleLine,
  StringEnum,
  Timestamp,
} from "../fields.ts";
import {
  HOOK_MESSAGES_PER_MINUTE_MAX,
  HOOK_MESSAGES_PER_PHONE_HOUR_MAX,
  HOOK_RECIPIENTS_MAX,
  MESSAGE_BODY_CHARS_MAX,
  NAME_CHARS_MAX,
} from "../limits.ts";

export const HOOK_PURPOSES = ["codes", "alerts", "messages"] as const;
export type HookPurpose = (typeof HOOK_PURPOSES)[number];

export const HOOK_SIGNATURE_TYPES = ["token", "basic", "hmac", "jwt"] as const;

const Path = () => Type.String({ minLength: 1, maxLength: 200 });
const Paths = (description: string) =>
  Type.Optional(Nullable(Type.Array(Path(), { minItems: 1, maxItems: 5 }), { description }));
const HeaderName = (description: string) =>
  Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 60 }), { description }));
const MediaType = () =>
  Type.Optional(
    Nullable(Type.String({ maxLength: 120 }), {
      description: "Media type of the body. Default application/json.",
    }),
  );

export const HookSignature = Type.Object(
  {
    type: StringEnum(HOOK_SIGNATURE_TYPES, {
      description:
        "`token`: a header contains the secret. `basic`: it is the password of HTTP Basic. `hmac`: it signs the call. `jwt`: it signs a JSON Web Token (HS256).",
    }),
    header: HeaderName("Header with the token or the signature. Default authorization."),
    prefix: Type.Optional(
      Nullable(Type.String({ maxLength: 20 }), {
        description: "Characters before the token or the signature, such as `Bearer `.",
      }),
    ),
    user: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
        description: "User name of `basic`. Default hook.",
      }),
    ),
    algorithm: Type.Optional(
      Nullable(StringEnum(["sha256", "sha512", "sha384", "sha1"]), {
        description: "Hash of `hmac`. Default sha256.",
      }),
    ),
    encoding: Type.Optional(
      Nullable(StringEnum(["hex", "base64"]), {
        description: "Form of the signature. Default hex.",
      }),
    ),
    key_encoding: Type.Optional(
      Nullable(StringEnum(["text", "base64", "hex"]), {
        description: "How the secret becomes the key. Default text.",
      }),
    ),
    signed: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
        description:
          "Text that `hmac` covers, of {{body}}, {{timestamp}}, {{url}}, {{method}}, {{query}}, {{params}} and {{header.NAME}}. Default {{body}}.",
      }),
    ),
    timestamp_header: HeaderName("Header with the signed time."),
    timestamp_field: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 20 }), {
        description: "Name of the signed time inside the signature's header, as `t` in `t=…,v1=…`.",
      }),
    ),
    max_age_seconds: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, maximum: 86_400 }), {
        description: "Largest distance of the signed time from ours. Default 300.",
      }),
    ),
    body_hash_claim: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 60 }), {
        description: "Claim of `jwt` with the SHA-256 of the body, in hex.",
      }),
    ),
  },
  {
    $id: "HookSignature",
    additionalProperties: false,
    description: "How a call proves that it comes from the program.",
  },
);
export type HookSignature = Static<typeof HookSignature>;

const HookCondition = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Path from the item to a value that decides.",
    }),
    values: Type.Array(Type.String({ maxLength: 200 }), {
      minItems: 1,
      maxItems: 20,
      description: "Values that it may have, in any case of letters.",
    }),
  },
  {
    $id: "HookCondition",
    additionalProperties: false,
    description: "A value that an item must have to become a message.",
  },
);

const answerFields = {
  status: Type.Optional(
    Nullable(Type.Integer({ minimum: 200, maximum: 599 }), {
      description: "Status of the answer. Default 200; of a refusal, the status of its error.",
    }),
  ),
  content_type: MediaType(),
  body: Type.Optional(
    Nullable(Type.String({ maxLength: 1000 }), {
      description:
        "Body of the answer. It takes {{message_id}} and {{created_at}}; that of a refusal {{code}}, {{message}} and {{status}}.",
    }),
  ),
};

const HookAnswer = Type.Object(answerFields, {
  $id: "HookAnswer",
  additionalProperties: false,
  description: "Status, media type and body that a program gets for its call.",
});

export const HookDeclaration = Type.Object(
  {
    purpose: StringEnum(HOOK_PURPOSES, {
      description:
        "`codes`: one-time codes that the program makes; the fraud rules and limits of verification apply. `alerts` and `messages`: everything else.",
    }),
    list: Type.Optional(
      Nullable(Path(), {
        description:
          "Path to a list: each of its items becomes messages, and other paths start in the item, or in the call behind `$root.`. Without it, the call is one item.",
      }),
    ),
    when: Type.Optional(
      Nullable(Type.Array(HookCondition, { maxItems: 10 }), {
        description:
          "Conditions on an item. Others are ignored, and the call is answered as usual.",
      }),
    ),
    to: Paths(
      "Paths to the recipient, the first with a value counts. `$header.` and `$query.` lead into the headers and the query.",
    ),
    body: Type.String({
      minLength: 1,
      maxLength: MESSAGE_BODY_CHARS_MAX,
      description:
        "Text of the message. {{path}} is the value at a path; {{a|b}} is the first of two that has one.",
    }),
    body_chars_max: Type.Optional(
      Nullable(Type.Integer({ minimum: 20, maximum: MESSAGE_BODY_CHARS_MAX }), {
        description: "A longer text is cut. Without it, a text that is too long is refused.",
      }),
    ),
    code: Paths("Paths to the one-time code. The log shows stars in its place."),
    id: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
        description:
          "Template of the call's identifier: a second call with it within 24 hours sends nothing and gets the same answer.",
      }),
    ),
    signature: Type.Optional(
      Nullable(HookSignature, {
        description: "Without one, the hook's address ends in the secret.",
      }),
    ),
    answer: Type.Optional(Nullable(HookAnswer, { description: "Answer to an accepted call." })),
    refusal: Type.Optional(
      Nullable(HookAnswer, {
        description: "Answer to a refused call. Default: the error body of the API.",
      }),
    ),
  },
  {
    $id: "HookDeclaration",
    additionalProperties: false,
    description: "How the calls of a program become messages.",
  },
);
export type HookDeclaration = Static<typeof HookDeclaration>;

const hookFields = {
  id: Id("hook"),
  object: Type.Literal("hook"),
  name: Type.String(),
  mode: ModeOf("it"),
  preset: Nullable(StringEnum(HOOK_PRESET_NAMES), {
    description: "Preset that the declaration was made from; null for one of the account's own.",
  }),
  from: Type.String({ description: "Number or pool that the messages leave from." }),
  recipients: Type.Array(E164(), {
    description: "Recipients of calls that name none; alone where the declaration has no `to`.",
  }),
  declaration: HookDeclaration,
  messages_per_minute: Type.Integer({ description: "Messages that the hook sends in a minute." }),
  messages_per_phone_hour: Type.Integer({
    description: "Messages that it sends to one phone in an hour.",
  }),
  active: Type.Boolean({ description: "false while it is paused: its calls are refused." }),
  url: Type.String({
    description:
      "Address for the program. Without a signature it ends in `…`, which stands for the secret.",
  }),
  created_at: Timestamp(),
};

export const Hook = Resource("Hook", hookFields, {
  description: "An address that a program calls to send messages.",
});
export type Hook = Static<typeof Hook>;

export const HookWithSecret = Resource(
  "HookWithSecret",
  {
    ...hookFields,
    secret: Type.String({
      description: "Secret for the program. Shown only here, and in `url` where nothing is signed.",
    }),
  },
  { description: "A hook as it is shown once, after it was made or got a new secret." },
);
export type HookWithSecret = Static<typeof HookWithSecret>;

export const HookPreset = Resource(
  "HookPreset",
  {
    object: Type.Literal("hook_preset"),
    name: StringEnum(HOOK_PRESET_NAMES),
    title: Type.String({ description: "Name of the program that calls, for people." }),
    declaration: HookDeclaration,
    needs_recipients: Type.Boolean({
      description: "Its calls name no phone, so the hook needs recipients.",
    }),
    secret_from_program: Type.Boolean({
      description: "The program makes the secret: change the hook to it once it is known.",
    }),
    setup: Type.String({ description: "Places in the program for the address and the secret." }),
    source: Type.String({ description: "Documentation or source of the program's calls." }),
    sample: Type.String({ description: "A call as the program documents it: its body." }),
  },
  { description: "Declaration for the calls of a known program." },
);
export type HookPreset = Static<typeof HookPreset>;

const HookError = Resource(
  "HookError",
  {
    code: Type.String({ description: "Code of the error table." }),
    message: Type.String({ description: "The fault, and the next step." }),
    param: Nullable(Type.String(), { description: "The faulty part of the call, or null." }),
  },
  { description: "Reason why a call, or one of its messages, was refused." },
);

export const HookMessage = Resource(
  "HookMessage",
  {
    to: Nullable(Type.String(), { description: "Recipient, or null where none was found." }),
    body: Type.String({ description: "Text, with stars in place of a one-time code." }),
    message_id: Nullable(Id("message"), { description: "The message; null where none was made." }),
    error: Nullable(HookError, { description: "Reason why it was refused; null otherwise." }),
  },
  { description: "One message of a call, as it was understood." },
);
export type HookMessage = Static<typeof HookMessage>;

export const HookRequest = Resource(
  "HookRequest",
  {
    id: Id("hook_request"),
    object: Type.Literal("hook_request"),
    hook_id: Id("hook", { description: "The hook whose URL was called." }),
    status: Type.Integer({ description: "HTTP status that the program got." }),
    error: Nullable(HookError, { description: "Reason why nothing was sent; null otherwise." }),
    messages: Type.Array(HookMessage, {
      description: "Messages as they were understood, in order.",
    }),
    paths: Type.Array(Type.String(), {
      description: "Paths that the call has values at, the first 100.",
    }),
    created_at: Timestamp(),
  },
  { description: "A call of a hook, as it was understood. Kept for 7 days." },
);
export type HookRequest = Static<typeof HookRequest>;

const HookTestAnswer = Resource(
  "HookTestAnswer",
  {
    status: Type.Integer({ description: "Status code of the answer that the program gets." }),
    body: Type.String({ description: "Body, with ids and a time that are examples." }),
  },
  { description: "Answer that the program would get." },
);

export const HookTest = Resource(
  "HookTest",
  {
    object: Type.Literal("hook_test"),
    hook_id: Id("hook", { description: "The hook whose declaration read the call." }),
    error: Nullable(HookError, { description: "Reason why the call would be refused." }),
    messages: Type.Array(HookMessage, { description: "Messages that the call would send." }),
    answer: HookTestAnswer,
    paths: Type.Array(Type.String(), { description: "Paths that the call has values at." }),
  },
  { description: "How a call would be understood. Nothing was sent." },
);
export type HookTest = Static<typeof HookTest>;

/** Fields that a hook is made of and changed by. */
export const hookInput = {
  name: SingleLine({
    minLength: 1,
    maxLength: NAME_CHARS_MAX,
    description: "Words for people who read the list of hooks.",
  }),
  from: Type.String({
    minLength: 1,
    maxLength: 64,
    description: "Number or pool of the account, of the key's mode.",
  }),
  recipients: Type.Array(PhoneInput(), {
    maxItems: HOOK_RECIPIENTS_MAX,
    description: "Recipients of calls that name none.",
  }),
  body: Type.String({
    minLength: 1,
    maxLength: MESSAGE_BODY_CHARS_MAX,
    description: "Text of the messages, in place of the declaration's.",
  }),
  secret: Type.String({
    pattern: "^[\\x21-\\x7e]{8,200}$",
    description:
      "Secret that the program made: 8 to 200 characters without spaces. Without it, the service makes one.",
  }),
  messages_per_minute: Type.Integer({
    minimum: 1,
    maximum: HOOK_MESSAGES_PER_MINUTE_MAX,
    description: "Messages that the hook sends in a minute. Default 60.",
  }),
  messages_per_phone_hour: Type.Integer({
    minimum: 1,
    maximum: HOOK_MESSAGES_PER_PHONE_HOUR_MAX,
    description: "Messages that it sends to one phone in an hour. Default 20.",
  }),
};
