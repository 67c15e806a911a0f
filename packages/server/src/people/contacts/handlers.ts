import { type ContactChange, Problem, type RouteInput } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { isUniqueViolation } from "../../core/db/driver/failures.ts";
import { expect } from "../../core/platform/assert.ts";
import { callerApiId } from "../../http/api/caller.ts";
import { checkRole } from "../../http/api/check-role.ts";
import { csvHeaders } from "../../http/api/export-csv.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { accountIn } from "../../http/api/modes.ts";
import { changeInBulk } from "./bulk.ts";
import type { ContactHandlersDeps } from "./deps.ts";
import { exportContacts } from "./export.ts";
import { contactOf, findContactByPhone, lockContact, presentContacts } from "./find.ts";
import { importContacts } from "./import.ts";
import { listContacts } from "./list.ts";
import { changeContact, isSameState } from "./merge.ts";
import { previewImport } from "./preview-import.ts";
import { ContactFault, type ContactInput, readContact } from "./read-input.ts";
import { removeContacts, storeContacts, writeContacts } from "./write.ts";

type Names =
  | "contacts.upsert"
  | "contacts.list"
  | "contacts.get"
  | "contacts.update"
  | "contacts.delete"
  | "contacts.import"
  | "contacts.bulk"
  | "exports.contacts";

export const contactHandlers: HandlersOf<Names, ContactHandlersDeps> = {
  "contacts.upsert": checking(
    (deps, { body }) => void contactInputOf(deps, body),
    async ({ deps, caller, transact }, { body }) => {
      const given = contactInputOf(deps, body);
      return transact(async (tx) => {
        const account = accountIn(caller);
        const [result] = await writeContacts(deps, tx, account, [given], callerApiId(caller));
        if (result instanceof ContactFault) throw problemOf(result);
        const row = await findContactByPhone(tx, account, given.phone);
        const [contact] = await presentContacts(tx, account, row ? [row] : []);
        return {
          status: result === "created" ? 201 : 200,
          body: expect(contact, "a contact was not written"),
        };
      });
    },
  ),

  "contacts.list": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listContacts(deps, caller, query),
  }),

  "contacts.get": async ({ deps, caller }, { params }) => {
    const row = await contactOf(deps.db, caller.account, params.id);
    const [contact] = await presentContacts(deps.db, accountIn(caller), [row]);
    return { status: 200, body: expect(contact, "a contact is not shown") };
  },

  "contacts.update": async ({ deps, caller, transact }, { params, body }) =>
    transact(async (tx) => {
      const { account } = caller;
      await changeOne(deps, tx, account, params.id, body);
      const after = await contactOf(tx, account, params.id);
      const [contact] = await presentContacts(tx, accountIn(caller), [after]);
      return { status: 200, body: expect(contact, "a locked contact is gone") };
    }),

  "contacts.delete": async ({ caller, transact }, { params }) =>
    transact(async (tx) => {
      const { account } = caller;
      const row = await lockContact(tx, account, params.id);
      const [contact] = await presentContacts(tx, accountIn(caller), [row]);
      await removeContacts(tx, account, [row.id]);
      return { status: 200, body: expect(contact, "a locked contact is gone") };
    }),

  "contacts.import": async ({ deps, caller, transact }, { body }) => {
    if (body.dry_run === true) {
      return { status: 200, body: await previewImport(deps, accountIn(caller), body) };
    }
    if (body.check_line_types === true) {
      throw new Problem(
        "invalid_request",
        "check_line_types goes with dry_run: an import keeps landlines. Try the rows out first.",
        { param: "check_line_types" },
      );
    }
    return transact(async (tx) => ({
      status: 200,
      body: await importContacts(deps, tx, caller, body),
    }));
  },

  "contacts.bulk": async ({ deps, caller, transact }, { body }) => {
    // Bulk deletion needs the role that deletion of one contact needs.
    if (body.action === "delete") checkRole(caller, "contacts.delete");
    return transact(async (tx) => ({
      status: 200,
      body: await changeInBulk(deps, tx, caller.account, body),
    }));
  },

  "exports.contacts": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await exportContacts(deps, caller, query),
    headers: csvHeaders("contacts"),
  }),
};

function contactInputOf(deps: Base, body: RouteInput<"contacts.upsert">["body"]): ContactInput {
  const read = readContact(deps, body);
  if (!read.ok) throw problemOf(read.fault);
  return read.given;
}

async function changeOne(
  deps: Base,
  tx: Tx,
  account: AccountRow,
  apiId: string,
  body: ContactChange,
): Promise<void> {
  const before = await lockContact(tx, account, apiId);
  const read = readContact(deps, { phone_number: before.phone_number, ...body });
  if (!read.ok) throw problemOf(read.fault);
  const { phone } = read.given;
  const state = changeContact(before, read.given, body);
  if (phone === before.phone_number && isSameState(before, state)) return;
  await storeContacts(deps, tx, account, [{ row: before, state, phone }]).catch((error) => {
    if (!isUniqueViolation(error)) throw error;
    throw new Problem("already_exists", `Another contact has the number ${phone}.`, {
      param: "phone_number",
    });
  });
}

function problemOf(fault: ContactFault): Problem {
  return new Problem("invalid_request", fault.message, { param: fault.param });
}
