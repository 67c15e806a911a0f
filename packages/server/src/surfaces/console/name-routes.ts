import { type Static, Type } from "typebox";
import { toApiId } from "../../core/platform/ids.ts";
import { parseQuery } from "../../http/body/query.ts";
import { compileSchema } from "../../http/body/validate.ts";
import { readContactNames } from "../../people/contacts/index.ts";
import { checkAction, membershipOf } from "./mounts.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";

const PHONES_MAX = 100;
const PHONE_CHARS_MAX = 20;
const NamesQuery = Type.Object(
  { phones: Type.String({ minLength: 1, maxLength: PHONES_MAX * (PHONE_CHARS_MAX + 1) }) },
  { additionalProperties: false },
);
const validate = compileSchema(NamesQuery, "query");

/** Names of the contacts with these phone numbers: lists show people, not numbers. */
export const nameRoutes: readonly OwnRoute[] = [
  signedIn("GET", "/{account}/names", null, async ({ deps, exchange, params }, session) => {
    const { account: id = "" } = params;
    const membership = membershipOf(session, id);
    checkAction(membership, "names.list");
    const query = parseQuery(exchange.rawQuery, NamesQuery) as Static<typeof NamesQuery>;
    validate(query);
    const { phones } = query;
    const wanted = phones.split(",").slice(0, PHONES_MAX);
    const found = await readContactNames(deps.db, membership.account, wanted);
    return ok({
      object: "names",
      data: found.map(({ id: contact, phone_number, name }) => ({
        phone_number,
        contact_id: toApiId("contact", contact),
        name,
      })),
    });
  }),
];
