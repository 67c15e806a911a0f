import { type Static, Type } from "typebox";
import { ACCOUNT_REMAINS, ERASURE_STATUSES } from "../enums.ts";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const AccountDeletion = Resource(
  "AccountDeletion",
  {
    id: Id("account_deletion"),
    object: Type.Literal("account_deletion"),
    account_id: Id("account", {
      description: "Account that is, or was, deleted: its id answers 404 elsewhere.",
    }),
    name: Type.String({ description: "The account's name at its deletion." }),
    status: StringEnum(ERASURE_STATUSES, {
      description: "running until no row is left; a running deletion survives restarts.",
    }),
    canceled: Type.Object(
      {
        messages: Count("Messages that waited for a carrier, a retry or the end of quiet hours."),
        scheduled_messages: Count("Single messages that had a send time ahead of them."),
        batches: Count("Batches that had not ended."),
        schedules: Count("Recurring ones with an occurrence ahead of them."),
        automation_runs: Count("Contacts on their way through the steps of an automation."),
      },
      {
        additionalProperties: false,
        description: "Work that waited at the deletion. None of it leaves any more.",
      },
    ),
    numbers: Type.Array(
      Type.Object(
        {
          phone_number: E164(),
          available_at: Nullable(Timestamp(), {
            description:
              "Time at which another account may buy the number; null if it is in stock already, or is not in the installation's stock.",
          }),
        },
        { additionalProperties: false },
      ),
      { description: "Live numbers of the account. All are released within minutes." },
    ),
    report: Type.Array(
      Type.Object(
        {
          place: Type.String({ description: "Table, such as messages or consent_ledger." }),
          records: Type.Integer({ description: "Rows of this table that were erased so far." }),
        },
        { additionalProperties: false },
      ),
      { description: "Rows erased so far, by table." },
    ),
    remains: Type.Array(
      Type.Object(
        {
          place: StringEnum(ACCOUNT_REMAINS, {
            description: "Data that the deletion does not reach.",
          }),
          until: Nullable(Timestamp(), {
            description: "Time at which it is gone by itself; null: until somebody deletes it.",
          }),
        },
        { additionalProperties: false },
      ),
      {
        description:
          "Data that stays: backups until you delete them, carriers' identifiers of messages for 31 days, traffic that matched no message for 91, callbacks that could not be read for 7, the installation's audit log, server logs and the carriers' own records for as long as you and they keep them.",
      },
    ),
    created_at: Timestamp({ description: "Time of the deletion." }),
    completed_at: Nullable(Timestamp(), {
      description: "Time at which no row was left, or null.",
    }),
  },
  { description: "Deletion of an account with everything that it owned." },
);
export type AccountDeletion = Static<typeof AccountDeletion>;
