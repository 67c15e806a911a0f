import type { Brand, RegistrationKind, RegistrationStatus, WebsiteCheck } from "@longwave/contract";
import { toApiId } from "../src/core/platform/ids.ts";
import type { Kit } from "./kit.ts";

const PAGE = {
  url: "https://hillside.example.com/",
  found_by: "given",
  status: 200,
  final_url: "https://hillside.example.com/",
} as const;

const CHECK: WebsiteCheck = {
  checked_at: "2026-11-02T09:00:00.000Z",
  passed: 0,
  failed: 0,
  warnings: 0,
  urls: { website: PAGE, privacy: PAGE, terms: PAGE, opt_in: PAGE },
  findings: [],
};

export interface GivenRegistration {
  readonly businessName?: string;
  readonly status?: Extract<RegistrationStatus, "draft" | "checks_failed" | "ready">;
  readonly supportEmail?: string;
  readonly kind?: RegistrationKind;
  readonly brand?: Brand;
}

/** Creates a registration without checking a website. Numbers are linked with its next move. */
export async function giveRegistration(kit: Kit, given: GivenRegistration = {}): Promise<string> {
  const { businessName = "Hillside Dental", status = "ready", supportEmail = null } = given;
  const id = kit.deps.ids.make();
  const fields = {
    ...{ opt_in_url: null, privacy_url: null, terms_url: null, support_email: supportEmail },
    sample_messages: [
      `${businessName}: your appointment is tomorrow at 2:30 PM. Reply C to confirm.`,
      `${businessName}: we are closed on Monday and open again on Tuesday at nine.`,
    ],
    ...{ starter_messages: null, description: null, brand: given.brand ?? {} },
  };
  const now = new Date(kit.deps.clock.now());
  const history = [
    {
      ...{ at: now.toISOString(), status, actor: "customer", label: "The check passed" },
      ...{ reason_code: null, note: null },
    },
  ];
  await kit.rows(
    `insert into registrations (shard, account_id, id, status, business_name, website, use_case, given,
                                website_check, history, created_at, updated_at, kind)
     values ($1, $2, $3, $4, $5, 'https://hillside.example.com/', 'account_notification', $6, $7, $8, $9, $10, $11)`,
    [
      kit.account.shard,
      kit.account.id,
      id,
      status,
      businessName,
      JSON.stringify(fields),
      status === "draft" ? null : JSON.stringify(CHECK),
      JSON.stringify(history),
      now,
      now,
      given.kind ?? "campaign",
    ],
  );
  return toApiId("registration", id);
}

/** Submits a registration and approves it as the operator. */
export async function approve(kit: Kit, registrationId: string): Promise<void> {
  await submit(kit, registrationId);
  await review(kit, registrationId, { decision: "approve" });
}

/**
 * Submits a registration, by default with a live key: registrations of test keys do not apply to live
 * numbers.
 */
export async function submit(kit: Kit, id: string, key = kit.liveKey): Promise<void> {
  const answer = await kit.request("POST", `/v1/registrations/${id}/submit`, { key });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

export async function review(kit: Kit, id: string, body: Record<string, unknown>): Promise<void> {
  const answer = await kit.operator("POST", `/registrations/${id}/review`, body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}
