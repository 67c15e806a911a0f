import { CONSOLE_ROLES, ID_PREFIXES, type IdKind, roleAllows } from "@longwave/contract";
import { type Static, Type } from "typebox";
import { fromApiId } from "../../core/platform/ids.ts";
import { parseQuery } from "../../http/body/query.ts";
import { compileSchema } from "../../http/body/validate.ts";
import { checkAction, membershipOf } from "./mounts.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";
import { nameKeys, nameMembers, nameObjects } from "./sql.ts";

const IDS_MAX = 100;
const ID_CHARS_MAX = 40;
const IdsQuery = Type.Object(
  { ids: Type.String({ minLength: 1, maxLength: IDS_MAX * (ID_CHARS_MAX + 1) }) },
  { additionalProperties: false },
);
const validate = compileSchema(IdsQuery, "query");
const KINDS = Object.keys(ID_PREFIXES) as IdKind[];

interface Named {
  readonly id: string;
  readonly name: string | null;
}

/** Names of objects, keys and members by id: lists and steps show names, not ids. */
export const objectNameRoutes: readonly OwnRoute[] = [
  signedIn("GET", "/{account}/object-names", null, async ({ deps, exchange, params }, session) => {
    const { account: id = "" } = params;
    const { account, role } = membershipOf(session, id);
    checkAction(membershipOf(session, id), "names.list");
    const query = parseQuery(exchange.rawQuery, IdsQuery) as Static<typeof IdsQuery>;
    validate(query);
    const apiIds = new Map(query.ids.split(",").slice(0, IDS_MAX).flatMap(withUuid));
    const uuids = [...apiIds.keys()];
    const [objects, members, keys] = await Promise.all([
      deps.db.query<Named>(nameObjects, [account.shard, account.id, uuids]),
      deps.db.query<Named>(nameMembers, [account.id, uuids]),
      roleAllows(role, CONSOLE_ROLES["keys.list"])
        ? deps.db.query<Named>(nameKeys, [account.id, uuids])
        : [],
    ]);
    const data = [...objects, ...members, ...keys].map((row) => ({
      id: apiIds.get(row.id),
      name: row.name,
    }));
    return ok({ object: "object_names", data });
  }),
];

/** The id's UUID, which names it in the database; none for an id of no kind. */
function withUuid(apiId: string): [uuid: string, apiId: string][] {
  const kind = KINDS.find((each) => apiId.startsWith(ID_PREFIXES[each]));
  const uuid = kind === undefined ? null : fromApiId(kind, apiId);
  return uuid === null ? [] : [[uuid, apiId]];
}
