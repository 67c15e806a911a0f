import type { PipelineAnswer } from "../../http/api/handler.ts";
import { accountSid, checkAccountSid, sidIn, type TwilioRequest, type TwilioRoute } from "./api.ts";
import { rfc2822 } from "./dates.ts";
import { PAGE_PARAMETERS, pageAnswer, pageOf } from "./paging.ts";

const BASE = "/2010-04-01/Accounts";

/** Reads by which programs check their credentials. */
export const accountRoutes: readonly TwilioRoute[] = [
  {
    method: "GET",
    path: `${BASE}/{sid}`,
    family: "other",
    asRoute: "account.get",
    form: { takes: [] },
    handle: read,
  },
  {
    method: "GET",
    path: `${BASE}/{account}/Applications.json`,
    family: "other",
    asRoute: "numbers.list",
    form: { takes: ["FriendlyName", ...PAGE_PARAMETERS] },
    handle: async ({ form, path }) => ({ status: 200, body: noApplications(form, path) }),
  },
];

async function read(request: TwilioRequest): Promise<PipelineAnswer> {
  const { caller } = request;
  checkAccountSid(sidIn(request), caller);
  const sid = accountSid(caller);
  const createdAt = rfc2822(caller.account.created_at);
  const body = {
    date_created: createdAt,
    date_updated: createdAt,
    friendly_name: caller.account.name,
    owner_account_sid: sid,
    sid,
    // A suspended account gets no answer.
    status: "active",
    subresource_uris: {},
    type: "Full",
    uri: `${BASE}/${sid}.json`,
  };
  return { status: 200, body };
}

/** Applications hold addresses for calls, which this service does not take. */
function noApplications(form: TwilioRequest["form"], path: string): object {
  const noId = () => "";
  return pageAnswer<never>("applications", path, form, pageOf(form), [], noId, (row) => row);
}
