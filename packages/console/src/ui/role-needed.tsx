import { type Role, roleAllows } from "@longwave/contract/tables";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../api/account.tsx";
import { useConsoleRead } from "../api/console-queries.ts";
import type { MemberList } from "../api/session-types.ts";
import { Empty } from "./empty.tsx";

const NAMED_MAX = 3;

/** Page for readers without the role: names the role and its members. */
export function RoleNeeded(props: { needed: Role; what: string }) {
  const { base, account } = useAccount();
  const members = useConsoleRead<MemberList>("members");
  const named = (members.data?.data ?? [])
    .filter((member) => roleAllows(member.role, props.needed))
    .slice(0, NAMED_MAX)
    .map((member) => member.name ?? member.email);
  return (
    <div className="list">
      <Empty icon="shield" title={`${props.what} is for the role ${props.needed}`}>
        <span>
          You are {account.role} here.{" "}
          {named.length > 0 &&
            `Ask ${new Intl.ListFormat("en", { type: "disjunction" }).format(named)}. `}
          <Link to={`${base}/members`} search={{}}>
            See who can give it
          </Link>
          .
        </span>
      </Empty>
    </div>
  );
}
