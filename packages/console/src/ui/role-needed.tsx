import { type Role, roleAllows } from "@longwave/contract/tables";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../api/account.tsx";
import { useConsoleRead } from "../api/console-queries.ts";
import type { MemberList } from "../api/session-types.ts";
import { Empty } from "./empty.tsx";

const NAMED_MAX = 3;
/** Least role that changes the roles of members. */
const GIVES_ROLES: Role = "admin";

/** Page for readers without the role: names the role, and who can give it. */
export function RoleNeeded(props: { needed: Role; what: string; verb?: string }) {
  const { base, account } = useAccount();
  const members = useConsoleRead<MemberList>("members");
  const named = (members.data?.data ?? [])
    .filter((member) => roleAllows(member.role, GIVES_ROLES))
    .slice(0, NAMED_MAX)
    .map((member) => member.name ?? member.email);
  return (
    <div className="list">
      <Empty
        icon="shield"
        title={`You need the ${props.needed} role to ${props.verb ?? "see"} ${props.what}`}
      >
        <span>
          Your role is {account.role}.{" "}
          {named.length > 0 &&
            `Ask ${new Intl.ListFormat("en", { type: "disjunction" }).format(named)}. `}
          <Link to={`${base}/members`} search={{}}>
            See members
          </Link>
          .
        </span>
      </Empty>
    </div>
  );
}
