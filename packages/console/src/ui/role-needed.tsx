import type { Role } from "@longwave/contract/tables";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../api/account.tsx";
import { Empty } from "./empty.tsx";

/** A page that is for others: which role it takes, and where to find who has it. */
export function RoleNeeded(props: { needed: Role; what: string }) {
  const { base, account } = useAccount();
  return (
    <div className="list">
      <Empty icon="shield" title={`${props.what} is for the role ${props.needed}`}>
        <span>
          You are {account.role} here.{" "}
          <Link to={`${base}/members`} search={{}}>
            See who can give it
          </Link>
          .
        </span>
      </Empty>
    </div>
  );
}
