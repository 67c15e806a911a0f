import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { IMPORT_PROVIDERS } from "../enums.ts";
import { Input, ListQuery, Page, StringEnum } from "../fields.ts";
import { CREDENTIAL_CHARS_MAX } from "../limits.ts";
import { AccountImport } from "../schemas/account-import.ts";

const Credential = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: CREDENTIAL_CHARS_MAX,
    pattern: "^[\\x21-\\x7e]+$",
    description,
  });

/** Console operations: below the console's base, and therefore outside the published document. */
export const importRoutes = defineRoutes({
  "imports.create": {
    method: "POST",
    path: "/console/v1/imports",
    scope: "full_access",
    tag: "Imports",
    summary: "Bring numbers, pools and webhooks over from another provider",
    description:
      "Reads the other account, then makes a port request for every US and Canada number that texts (2,000 at most), a sender pool for every messaging service, and webhook endpoints for its https addresses, up to the account's limits. With dry_run it only reports the plan. The call returns at once: read the import until it is complete. It can be repeated at any time, and skips existing objects. The credentials are used for this run only, and neither stored nor logged.",
    body: Input({
      provider: StringEnum(IMPORT_PROVIDERS, { description: "Provider of the account to import." }),
      account_sid: Type.Optional(Credential("Twilio: the Account SID (AC…). Telnyx has none.")),
      key_sid: Type.Optional(
        Credential("Twilio: the SID of an API key (SK…), where secret is that key's secret."),
      ),
      secret: Credential("Twilio: the auth token, or the secret of key_sid. Telnyx: the API key."),
      dry_run: Type.Optional(
        Type.Boolean({ description: "Only report the plan; create nothing." }),
      ),
    }),
    answers: { 202: AccountImport },
    errors: ["invalid_state"],
    example: {
      body: {
        provider: "twilio",
        account_sid: "AC00000000000000000000000000000000",
        secret: "0123456789abcdef0123456789abcdef",
        dry_run: true,
      },
      status: 202,
    },
  },
  "imports.list": {
    method: "GET",
    path: "/console/v1/imports",
    scope: "full_access",
    tag: "Imports",
    summary: "List imports, newest first",
    description: "Previews too. They are kept for 90 days.",
    query: ListQuery({}),
    answers: { 200: Page(AccountImport) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "imports.get": {
    method: "GET",
    path: "/console/v1/imports/{id}",
    scope: "full_access",
    tag: "Imports",
    summary: "Read an import",
    description: "Its progress, and every item found with its result.",
    params: Input({ id: Type.String() }),
    answers: { 200: AccountImport },
    errors: ["not_found"],
    example: { params: { id: "aim_01jd0000000000000000000000" }, status: 200 },
  },
  "imports.cancel": {
    method: "POST",
    path: "/console/v1/imports/{id}/cancel",
    scope: "full_access",
    tag: "Imports",
    summary: "Stop an import",
    description:
      "Stops after the item being stored. Created objects stay; a new import continues from there. Canceling a canceled import changes nothing.",
    params: Input({ id: Type.String() }),
    answers: { 200: AccountImport },
    errors: ["not_found", "invalid_state"],
    example: { params: { id: "aim_01jd0000000000000000000000" }, status: 200 },
  },
});
