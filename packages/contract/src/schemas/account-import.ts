import { type Static, Type } from "typebox";
import {
  IMPORT_ACTIONS,
  IMPORT_FAILURES,
  IMPORT_PHASES,
  IMPORT_PROVIDERS,
  IMPORT_SKIPS,
} from "../enums.ts";
import { Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";
import { accountImportMachine } from "../machines/account-import.ts";

const action = StringEnum(IMPORT_ACTIONS, {
  description:
    "`create`: it is (or, in a preview, would be) made; `exists`: it is here already; `skip`: it is left where it is.",
});
const reason = Nullable(StringEnum(IMPORT_SKIPS), {
  description: "Why it is skipped; null otherwise.",
});

const ImportedNumber = Resource(
  "ImportedNumber",
  {
    phone_number: Type.String({ description: "The number as the provider has it." }),
    action,
    reason,
  },
  { description: "A number over there, and what becomes of it here: a port request." },
);
export type ImportedNumber = Static<typeof ImportedNumber>;

const ImportedPool = Resource(
  "ImportedPool",
  {
    name: Type.String({ description: "The name that the messaging service has over there." }),
    numbers: Type.Integer({ description: "How many of its numbers come along." }),
    pool_id: Nullable(Id("pool"), { description: "The pool here; null before it is made." }),
    action,
    reason,
  },
  { description: "A messaging service over there, and what becomes of it here: a sender pool." },
);
export type ImportedPool = Static<typeof ImportedPool>;

const ImportedWebhook = Resource(
  "ImportedWebhook",
  {
    url: Type.String({ description: "The address that the provider calls." }),
    events: Type.Array(Type.String(), { description: "The events that it is told of here." }),
    action,
    reason,
  },
  {
    description: "An address that the provider calls, and what becomes of it: a webhook endpoint.",
  },
);
export type ImportedWebhook = Static<typeof ImportedWebhook>;

/** What is brought over from another provider's account, or would be. */
export const AccountImport = Resource(
  "AccountImport",
  {
    id: Id("account_import"),
    object: Type.Literal("account_import"),
    provider: StringEnum(IMPORT_PROVIDERS, { description: "Whose account is read." }),
    dry_run: Type.Boolean({ description: "Whether it is a preview, which makes nothing." }),
    status: StringEnum(accountImportMachine.states, {
      description:
        "`failed` imports say why in error, `canceled` ones were stopped by somebody; starting again goes on where they ended.",
    }),
    progress: Type.Object(
      {
        phase: StringEnum(IMPORT_PHASES, {
          description: "`reading` the other account; nothing is made before all of it is read.",
        }),
        done: Type.Integer({ description: "Numbers read, or things made." }),
        total: Nullable(Type.Integer(), { description: "Of how many; null while reading." }),
      },
      { additionalProperties: false, description: "How far it has come." },
    ),
    numbers: Type.Array(ImportedNumber, {
      description: "Every number that was found, those past the limit last.",
    }),
    pools: Type.Array(ImportedPool, { description: "Every messaging service that was found." }),
    webhooks: Type.Array(ImportedWebhook, { description: "Every address that was found, once." }),
    not_copied: Type.Array(Type.String(), {
      description: "What an import never brings along, in sentences to show.",
    }),
    error: Nullable(
      Type.Object(
        {
          code: StringEnum(IMPORT_FAILURES, { description: "What to branch on." }),
          message: Type.String({ description: "What happened and what to do, as a sentence." }),
        },
        { additionalProperties: false },
      ),
      { description: "Why it failed; null otherwise." },
    ),
    created_at: Timestamp(),
    ended_at: Nullable(Timestamp(), { description: "When it was complete, failed or canceled." }),
  },
  { description: "What is brought over from another provider's account, or would be." },
);
export type AccountImport = Static<typeof AccountImport>;
