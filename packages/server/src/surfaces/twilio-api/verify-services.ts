import { VERIFY_CODE_DIGITS } from "@longwave/contract";
import type { Principal } from "../../http/api/caller.ts";
import { accountSid, type TwilioRequest, type TwilioRoute } from "./api.ts";
import { isoSeconds } from "./dates.ts";
import { metaAnswer, PAGE_PARAMETERS, pageOf } from "./paging.ts";
import { checkService, verifyServiceSid } from "./verify.ts";

const HOST = "verify.twilio.com";
const PATH = "/v2/Services";

/** Reads of the account's only Verify service. Its limits are the fraud rules, which have no objects. */
export const verifyServiceRoutes: readonly TwilioRoute[] = [
  {
    method: "GET",
    path: PATH,
    family: "other",
    asRoute: "verify.list",
    form: { takes: PAGE_PARAMETERS },
    handle: async (request) => ({
      status: 200,
      body: listed(request, "services", [service(request.caller)]),
    }),
  },
  {
    method: "GET",
    path: `${PATH}/{service}`,
    family: "other",
    asRoute: "verify.list",
    form: { takes: [] },
    handle: async (request) => {
      checkService(request);
      return { status: 200, body: service(request.caller) };
    },
  },
  {
    method: "GET",
    path: `${PATH}/{service}/RateLimits`,
    family: "other",
    asRoute: "verify.list",
    form: { takes: PAGE_PARAMETERS },
    handle: async (request) => {
      checkService(request);
      return { status: 200, body: listed(request, "rate_limits", []) };
    },
  },
];

/** A list that fits on its first page. */
function listed({ form, path }: TwilioRequest, name: string, rows: readonly object[]): object {
  const page = pageOf(form);
  const shown = page.number === 0 ? rows : [];
  const noId = () => "";
  return metaAnswer<object>(HOST, name, path, form, page, shown, noId, (row) => row);
}

function service(caller: Principal): object {
  const sid = verifyServiceSid(caller);
  const createdAt = isoSeconds(new Date(caller.account.created_at).toISOString());
  return {
    account_sid: accountSid(caller),
    code_length: VERIFY_CODE_DIGITS,
    custom_code_enabled: false,
    date_created: createdAt,
    date_updated: createdAt,
    default_template_sid: null,
    do_not_share_warning_enabled: false,
    dtmf_input_required: false,
    friendly_name: caller.account.name,
    links: { rate_limits: `https://${HOST}${PATH}/${sid}/RateLimits` },
    lookup_enabled: false,
    psd2_enabled: false,
    push: null,
    sid,
    skip_sms_to_landlines: false,
    totp: null,
    tts_name: null,
    url: `https://${HOST}${PATH}/${sid}`,
  };
}
