import type {
  FileAnswer,
  Filing,
  LinkAnswer,
  Registry,
  Rejected,
  ReviewAnswer,
  Unavailable,
} from "../registry.ts";
import {
  type Call,
  type CallOptions,
  createCalls,
  type Fields,
  shortened,
  unavailable,
} from "./calls.ts";
import { brandOf, campaignOf, differs, filingFault, isSameOrganisation } from "./filing.ts";
import { grantedLimits } from "./granted-limits.ts";

export interface TelnyxOptions extends CallOptions {
  /** Address for Telnyx's notifications; null where the server has no public URL. */
  readonly callbackUrl: string | null;
}

/**
 * Telnyx's 10DLC API, which files brands and campaigns with The Campaign Registry:
 * developers.telnyx.com/docs/messaging/10dlc. A reference is the id of a campaign.
 */
export function createTelnyxRegistry({ callbackUrl, ...options }: TelnyxOptions): Registry {
  const call = createCalls(options);
  return {
    name: "telnyx",
    kinds: ["campaign"],
    async file(filing, signal) {
      const fault = filingFault(filing);
      if (fault !== null) return rejected(fault);
      const brand = await brandFor(call, filing, callbackUrl, signal);
      return brand.kind === "brand"
        ? await fileCampaign(call, filing, { brandId: brand.id, callbackUrl }, signal)
        : brand;
    },
    async review(reference, signal) {
      const answer = await call("GET", `campaign/${encodeURIComponent(reference)}`, null, signal);
      if (answer.kind === "unavailable") return answer;
      if (answer.kind !== "done") return unavailable("Telnyx does not know the campaign.");
      const review = reviewOf(answer.body);
      if (review.kind !== "approved") return review;
      const limits = await grantedLimits(call, reference, signal);
      return limits === null ? review : { ...review, limits };
    },
    link: (reference, phone, signal) => link(call, reference, phone, signal),
    async unlink(reference, phone, signal) {
      const path = `phone_number_campaigns/${encodeURIComponent(phone)}`;
      const found = await call("GET", path, null, signal);
      if (found.kind === "unavailable") return found;
      // Another campaign has the number by now: its link is not this one's to end.
      if (found.kind !== "done" || campaignIdOf(found.body) !== reference) return UNLINKED;
      const ended = await call("DELETE", path, null, signal);
      if (ended.kind === "refused") return unavailable(ended.reason);
      return ended.kind === "unavailable" ? ended : UNLINKED;
    },
    async linkState(reference, phone, signal) {
      const path = `phone_number_campaigns/${encodeURIComponent(phone)}`;
      const found = await call("GET", path, null, signal);
      if (found.kind === "unavailable") return found;
      const isLinked = found.kind === "done" && campaignIdOf(found.body) === reference;
      return isLinked ? linkOf(found.body) : { kind: "refused", reason: REMOVED };
    },
    async referencesIn(callback, signal) {
      const payload = payloadOf(callback);
      const campaignId = campaignIdOf(payload);
      if (campaignId !== "") return [campaignId];
      const brandId = textOf(payload["brandId"]);
      if (brandId === "") return [];
      const records = await list(call, "campaign", { brandId }, CAMPAIGNS_READ_MAX, signal);
      if (records.kind === "unavailable") return [];
      return records.all.flatMap((one) => textOf(one["campaignId"]) || []);
    },
  };
}

const REMOVED = "Telnyx or a carrier removed the number from the campaign.";
const UNLINKED = { kind: "unlinked" } as const;

function rejected(note: string, code: Rejected["code"] = "carrier.rejected"): Rejected {
  return { kind: "rejected", code, note: shortened(note) };
}

type BrandAnswer = { readonly kind: "brand"; readonly id: string } | Rejected | Unavailable;

/**
 * Verified brand of a filing: the named one, the one that an earlier filing of this business registered, or a new one.
 * Each new brand costs money, so that an unverified one is corrected instead.
 */
async function brandFor(
  call: Call,
  filing: Filing,
  callbackUrl: string | null,
  signal: AbortSignal,
): Promise<BrandAnswer> {
  const wanted = brandOf(filing, callbackUrl);
  const isNamed = filing.brandId !== null;
  const found = await findBrand(call, filing, signal);
  if (found.kind === "unavailable") return found;
  if (found.id === null) {
    if (!isNamed) return await write(call, ["POST", "brand", wanted], REGISTERING, signal);
    return rejected(`Telnyx knows no brand ${filing.brandId}. Correct brand_id, or leave it out.`);
  }
  const path = `brand/${encodeURIComponent(found.id)}`;
  const read = await call("GET", path, null, signal);
  if (read.kind === "unavailable") return read;
  if (read.kind !== "done") return unavailable("Telnyx does not know the brand any more.");
  const brand = read.body;
  const isVerified = brand["status"] === "OK" && VERIFIED.includes(textOf(brand["identityStatus"]));
  if ((isVerified || isNamed) && !isSameOrganisation(brand, wanted)) {
    return rejected(OTHER_BRAND, "brand.duplicate");
  }
  if (isVerified) return { kind: "brand", id: found.id };
  if (brand["status"] === "REGISTRATION_PENDING") return unavailable(REGISTERING);
  if (isNamed || !differs(brand, wanted)) return refusalOf(brand);
  return await write(call, ["PUT", path, wanted], "Telnyx checks the corrected brand.", signal);
}

/** Writes a brand, whose check a later call finds. */
async function write(
  call: Call,
  request: readonly ["POST" | "PUT", string, Fields],
  waiting: string,
  signal: AbortSignal,
): Promise<Rejected | Unavailable> {
  const answer = await call(...request, signal);
  if (answer.kind === "refused") return rejected(answer.reason);
  return answer.kind === "unavailable" ? answer : unavailable(waiting);
}

/** Why an unverified brand with the filing's own data is refused. */
function refusalOf({ status, failureReasons }: Fields): Rejected {
  const reason = textOf(failureReasons);
  return status === "REGISTRATION_FAILED"
    ? rejected(reason || "Telnyx refused the brand.")
    : rejected(reason || "Legal name and tax number do not match.", "brand.ein_mismatch");
}

const REGISTERING = "Telnyx registers the brand.";
const VERIFIED = ["VERIFIED", "VETTED_VERIFIED", "SELF_DECLARED"];
const OTHER_BRAND =
  "A brand with this name and website is registered with another legal name or tax number. Correct brand.legal_name and brand.ein.";
const BRANDS_READ_MAX = 100;
const CAMPAIGNS_READ_MAX = 500;

async function findBrand(
  call: Call,
  { brandId, businessName, website }: Filing,
  signal: AbortSignal,
): Promise<{ readonly kind: "found"; readonly id: string | null } | Unavailable> {
  const isTcrId = brandId !== null && /^B[A-Z0-9]{5,9}$/.test(brandId);
  if (brandId !== null && !isTcrId) return { kind: "found", id: brandId };
  const filter = brandId === null ? { displayName: businessName } : { tcrBrandId: brandId };
  const records = await list(call, "brand", filter, BRANDS_READ_MAX, signal);
  if (records.kind === "unavailable") return records;
  const brand = records.all.find((one) =>
    isTcrId
      ? one["tcrBrandId"] === brandId
      : one["displayName"] === businessName && one["website"] === website,
  );
  return { kind: "found", id: brand ? textOf(brand["brandId"]) || null : null };
}

async function list(
  call: Call,
  path: string,
  filter: Readonly<Record<string, string>>,
  recordsMax: number,
  signal: AbortSignal,
): Promise<{ readonly kind: "records"; readonly all: readonly Fields[] } | Unavailable> {
  const query = new URLSearchParams({ ...filter, recordsPerPage: String(recordsMax) });
  const answer = await call("GET", `${path}?${query}`, null, signal);
  if (answer.kind === "unavailable") return answer;
  if (answer.kind === "refused") return unavailable(answer.reason);
  const records = answer.kind === "done" ? answer.body["records"] : [];
  return { kind: "records", all: Array.isArray(records) ? (records as Fields[]) : [] };
}

/** Files the campaign, unless an earlier call of this filing did. */
async function fileCampaign(
  call: Call,
  filing: Filing,
  { brandId, callbackUrl }: { readonly brandId: string; readonly callbackUrl: string | null },
  signal: AbortSignal,
): Promise<FileAnswer> {
  const records = await list(call, "campaign", { brandId }, CAMPAIGNS_READ_MAX, signal);
  if (records.kind === "unavailable") return records;
  const filed = records.all.find((one) => one["referenceId"] === filing.key);
  if (filed) return referenceOf(filed);
  const body = campaignOf(filing, brandId, callbackUrl);
  const answer = await call("POST", "campaignBuilder", body, signal);
  if (answer.kind === "done") return referenceOf(answer.body);
  if (answer.kind === "refused") return rejected(answer.reason);
  return answer.kind === "unavailable" ? answer : unavailable("Telnyx has no campaigns to file.");
}

function referenceOf(campaign: Fields): FileAnswer {
  const reference = textOf(campaign["campaignId"]);
  return reference === ""
    ? unavailable("Telnyx gave the campaign no id yet.")
    : { kind: "filed", reference };
}

// biome-ignore format: one status per line
const REVIEWS: Readonly<Record<string, Exclude<ReviewAnswer["kind"], "unavailable" | "rejected">>> = {
  TCR_PENDING:     "waiting",
  TCR_ACCEPTED:    "in_review",
  TELNYX_ACCEPTED: "in_review",
  MNO_PENDING:     "in_review",
  MNO_ACCEPTED:    "in_review",
  MNO_PROVISIONED: "approved",
  TCR_SUSPENDED:   "suspended",
  TCR_EXPIRED:     "expired",
};
const FAILURES = ["TCR_FAILED", "TELNYX_FAILED", "MNO_REJECTED", "MNO_PROVISIONING_FAILED"];

function reviewOf({ campaignStatus, failureReasons }: Fields): ReviewAnswer {
  const status = textOf(campaignStatus);
  if (FAILURES.includes(status)) {
    return rejected(textOf(failureReasons) || `The campaign is ${status}.`);
  }
  const kind = REVIEWS[status];
  return kind === undefined
    ? unavailable("Telnyx names a status that this server does not know.")
    : { kind };
}

/** Telnyx assigns numbers in the background: a later call finds the outcome. */
async function link(
  call: Call,
  reference: string,
  phone: string,
  signal: AbortSignal,
): Promise<LinkAnswer> {
  const path = `phone_number_campaigns/${encodeURIComponent(phone)}`;
  const found = await call("GET", path, null, signal);
  if (found.kind === "unavailable") return found;
  const kept = found.kind === "done" ? found.body : null;
  const isFailed = textOf(kept?.["assignmentStatus"]) === "FAILED_ASSIGNMENT";
  if (kept && campaignIdOf(kept) === reference && !isFailed) return linkOf(kept);
  const body = { phoneNumber: phone, campaignId: reference };
  const answer = kept
    ? await call("PUT", path, body, signal)
    : await call("POST", "phone_number_campaigns", body, signal);
  if (answer.kind === "done") return linkOf(answer.body);
  if (answer.kind === "refused") return { kind: "refused", reason: answer.reason };
  return answer.kind === "unavailable" ? answer : unavailable("Telnyx does not know the campaign.");
}

function linkOf({ assignmentStatus, failureReasons }: Fields): LinkAnswer {
  const status = textOf(assignmentStatus);
  if (status === "ASSIGNED") return { kind: "linked" };
  if (status === "FAILED_ASSIGNMENT") {
    const reason = shortened(textOf(failureReasons));
    return { kind: "refused", reason: reason || "Telnyx did not assign the number." };
  }
  return { kind: "pending", reason: "Telnyx assigns the number to the campaign." };
}

/** Telnyx's own id of a campaign; `campaignId` of a number's assignment may be that of the registry. */
function campaignIdOf(fields: Fields): string {
  return textOf(fields["telnyxCampaignId"]) || textOf(fields["campaignId"]);
}

/** Payload of a notification: `{"data": {"event_type", "payload": {…}}}`. */
function payloadOf(callback: unknown): Fields {
  const data = (callback as { data?: { payload?: unknown } } | null)?.data;
  const payload = data?.payload;
  return typeof payload === "object" && payload !== null ? (payload as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
