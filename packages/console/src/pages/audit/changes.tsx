import type { AuditLog } from "@longwave/sdk";
import { Fragment } from "react";
import { useAccount } from "../../api/account.tsx";
import { useNameOf } from "../../api/names.ts";
import { Id, shortId } from "../../ui/copy.tsx";
import { formatPhone } from "../../ui/format.ts";
import { useAccountName } from "../operator/account-name.tsx";

const ID = /^[a-z]+_[0-9a-z]{26}$/;
const PHONE = /^\+\d{8,15}$/;

interface Change {
  readonly from?: unknown;
  readonly to?: unknown;
}

function isMove(change: unknown): change is Change {
  return typeof change === "object" && change !== null && "to" in change;
}

/** Changed values of an entry, in one line. */
export function Changes(props: { changes: AuditLog["changes"] }) {
  const entries = Object.entries(props.changes);
  if (entries.length === 0) return <span className="muted">–</span>;
  return (
    <span className="muted">
      {entries.map(([name, change], index) => (
        <Fragment key={name}>
          {index > 0 && ", "}
          {name.replaceAll("_", " ")}: <ChangeValue change={change} />
        </Fragment>
      ))}
    </span>
  );
}

/** A value, or the move from one to another. */
export function ChangeValue({ change }: { change: unknown }) {
  if (!isMove(change)) return <Value value={change} />;
  return (
    <>
      <Value value={change.from} /> → <Value value={change.to} />
    </>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return <TextValue text={value} />;
  if (!Array.isArray(value)) return JSON.stringify(value);
  if (value.length === 0) return "none";
  return value.map((each, index) => (
    <Fragment key={JSON.stringify(each)}>
      {index > 0 && ", "}
      <Value value={each} />
    </Fragment>
  ));
}

function TextValue({ text }: { text: string }) {
  if (ID.test(text)) return <NamedId id={text} />;
  return PHONE.test(text) ? formatPhone(text) : text;
}

/** Name of an object by its id: of any kind in an account, of accounts for the operator. */
function useName(id: string): string | null | undefined {
  const { account } = useAccount();
  const inAccount = useNameOf(ID.test(id) ? id : null);
  const isAccount = account.id === "operator" && id.startsWith("acct_");
  const ofAccount = useAccountName(isAccount ? id : "");
  return isAccount ? ofAccount : inAccount;
}

function NamedId({ id }: { id: string }) {
  return useName(id) ?? shortId(id);
}

/** Object of an entry: its name, or its id with a sign to copy it. */
export function Target({ id }: { id: string }) {
  const name = useName(id);
  if (name) return <span className="cut">{name}</span>;
  return PHONE.test(id) ? formatPhone(id) : <Id value={id} />;
}
