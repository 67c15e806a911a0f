import type { OperatorAccount } from "@longwave/sdk";
import { formatCount } from "../../ui/format.ts";
import type { Fact } from "../../ui/page.tsx";

type Request = NonNullable<OperatorAccount["live_access_request"]>;

/** An account's answers in its request for live access. */
export function requestFacts(request: Request): readonly Fact[] {
  return [
    { name: "Company", value: request.company },
    { name: "Website", value: <span className="wrap-anywhere">{request.website}</span> },
    { name: "For", value: request.use_case },
    { name: "Texts a month", value: formatCount(request.monthly_volume) },
  ];
}
