import type { RegistrationUseCase } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import { takeCheck } from "./check-limit.ts";
import { starterMessages } from "./copy.ts";
import type { RegistrationsDeps } from "./deps.ts";
import { fieldsOf, requireUrls } from "./fields.ts";
import { guessName } from "./guess-name.ts";

/** Registration fields derived from a website. Stores nothing. */
export async function prefill(
  deps: RegistrationsDeps,
  account: AccountRow,
  input: {
    readonly website: string;
    readonly business_name?: string;
    readonly use_case?: RegistrationUseCase;
  },
) {
  requireUrls(deps, input);
  await takeCheck(deps, account);
  const { website } = input;
  const site = await deps.websites.collect({
    website,
    privacyUrl: null,
    termsUrl: null,
    optInUrl: null,
  });
  const home = site.website.facts;
  const business_name =
    input.business_name ?? (home === null ? new URL(website).hostname : guessName(home, website));
  const use_case = input.use_case ?? "mixed";
  return {
    business_name,
    website,
    use_case,
    privacy_url: site.privacy.finalUrl,
    terms_url: site.terms.finalUrl,
    opt_in_url: site.opt_in.finalUrl,
    support_email: home?.leads.mail ?? null,
    sample_messages: starterMessages(fieldsOf({ business_name, website, use_case })),
  };
}
