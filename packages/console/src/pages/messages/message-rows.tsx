import type { Message } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { NamedPerson } from "../../ui/person.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { personOf } from "./person-of.ts";

/** A few messages, each a link to its page. */
export function MessageRows(props: {
  rows: readonly Message[];
  empty: string;
  /** All rows are of one person, whom the page names. */
  isOnePerson?: boolean;
}) {
  const { base } = useAccount();
  if (props.rows.length === 0) return <p className="card-body muted">{props.empty}</p>;
  return (
    <ul>
      {props.rows.map((row) => (
        <li key={row.id}>
          <Link to={`${base}/messages/${row.id}`} search={{}} className="alarm">
            <Status machine="message" state={row.status} />
            {props.isOnePerson !== true && <NamedPerson phone={personOf(row)} />}
            <span className="muted cut grow">{row.body}</span>
            <span className="meta nowrap">
              <Time at={row.created_at} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
