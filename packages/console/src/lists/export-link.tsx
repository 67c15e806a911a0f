import { useAccount, useHasRole } from "../api/account.tsx";
import { DownloadLink } from "../ui/download-link.tsx";
import { type Search, stringifySearch } from "../ui/search-params.ts";

/** Lists with a CSV export, by the last part of its path. */
type Exported =
  | "messages"
  | `batches/${string}/recipients`
  | "events"
  | "consent"
  | "contacts"
  | "audit_log";

/** Downloads every row that the list's filters match as CSV. The server allows admins only. */
export function ExportLink(props: { list: Exported; query: Search }) {
  const { scope } = useAccount();
  const mayExport = useHasRole("admin");
  if (!mayExport) return null;
  const path = `/console/v1/${scope.join("/")}/exports/${props.list}`;
  return <DownloadLink path={`${path}${stringifySearch(props.query)}`} />;
}
