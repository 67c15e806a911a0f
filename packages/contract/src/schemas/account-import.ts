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
  description: "Reason why it is skipped; null otherwise.",
});

const ImportedNumber = Resource(
  "ImportedNumber",
  {
    phone_number: Type.String({ description: "The number as the provider has it." }),
    action,
    reason,
  },
  { description: "A number of the other account, and its port request here." },
);
export type ImportedNumber = Static<typeof ImportedNumber>;

const ImportedPool = Resource(
  "ImportedPool",
  {
    name: Type.String({ description: "The name that the messaging service has over there." }),
    numbers: Type.Integer({ description: "Numbers of the messaging service that can be ported." }),
    pool_id: Nullable(Id("pool"), { description: "The pool here; null before it is made." }),
    action,
    reason,
  },
  { description: "A messaging service of the other account, and its sender pool here." },
);
export type ImportedPool = Static<typeof ImportedPool>;

const ImportedWebhook = Resource(
  "ImportedWebhook",
  {
    url: Type.String({ description: "The address that the provider calls." }),
    events: Type.Array(Type.String(), {
      description: "Event types that the new endpoint receives.",
    }),
    action,
    reason,
  },
  {
    description: "An address that the provider calls, and its webhook endpoint here.",
  },
);
export type ImportedWebhook = Static<typeof ImportedWebhook>;

/** Import of another provider's account, or its dry run. */
export const AccountImport = Resource(
  "AccountImport",
  {
    id: Id("account_import"),
    object: Type.Literal("account_import"),
    provider: StringEnum(IMPORT_PROVIDERS, { description: "Provider of the imported account." }),
    dry_run: Type.Boolean({ description: "True for a preview, which creates nothing." }),
    status: StringEnum(accountImportMachine.states, {
      description:
        "`failed` imports say why in error, `canceled` ones were stopped by somebody; starting again continues where they ended.",
    }),
    progress: Type.Object(
      {
        phase: StringEnum(IMPORT_PHASES, {
          description: "`reading` the other account; nothing is made before all of it is read.",
        }),
        done: Type.Integer({ description: "Numbers read, or things made." }),
        total: Nullable(Type.Integer(), {
          description: "Total number of items; null while reading.",
        }),
      },
      { additionalProperties: false, description: "Progress of the import." },
    ),
    numbers: Type.Array(ImportedNumber, {
      description: "Every number found, those past the limit last.",
    }),
    pools: Type.Array(ImportedPool, { description: "Every messaging service that was found." }),
    webhooks: Type.Array(ImportedWebhook, { description: "Every address that was found, once." }),
    not_copied: Type.Array(Type.String(), {
      description: "Things that no import brings along, in sentences to display.",
    }),
    error: Nullable(
      Type.Object(
        {
          code: StringEnum(IMPORT_FAILURES, { description: "Failure code to branch on." }),
          message: Type.String({
            description: "Sentence for a person: the problem and the next step.",
          }),
        },
        { additionalProperties: false },
      ),
      { description: "Reason of the failure; null otherwise." },
    ),
    created_at: Timestamp(),
    ended_at: Nullable(Timestamp(), {
      description: "Time when the import completed, failed or was canceled.",
    }),
  },
  { description: "Import of another provider's account, or its preview." },
);
export type AccountImport = Static<typeof AccountImport>;
