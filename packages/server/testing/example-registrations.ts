import { fromApiId } from "../src/core/platform/ids.ts";
import type { Overrides, Stage } from "./example-stage.ts";

export async function draftRegistration({ api }: Stage): Promise<string> {
  const made = await api.registrations.create({
    business_name: "Hillside Dental",
    website: "https://hillside.example.com",
    use_case: "account_notification",
    draft: true,
  });
  return made.id;
}

/** A registration with a passed website check, without a website. */
export async function readyRegistration(stage: Stage): Promise<Overrides> {
  const id = await draftRegistration(stage);
  const page = { url: "https://hillside.example.com/", found_by: "given", status: 200 };
  const read = { ...page, final_url: page.url };
  const check = {
    checked_at: new Date(stage.kit.deps.clock.now()).toISOString(),
    passed: 0,
    failed: 0,
    warnings: 0,
    urls: { website: read, privacy: read, terms: read, opt_in: read },
    findings: [],
  };
  await stage.kit.rows(
    "update registrations set status = 'ready', website_check = $1 where id = $2",
    [JSON.stringify(check), fromApiId("registration", id)],
  );
  return { params: { id } };
}

export async function submittedRegistration(stage: Stage): Promise<Overrides> {
  const { params } = await readyRegistration(stage);
  await stage.api.registrations.submit(params?.["id"] ?? "");
  return params ? { params } : {};
}
