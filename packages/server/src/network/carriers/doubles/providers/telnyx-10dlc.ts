import { type DoubleCall, type DoubleCallback, type DoubleReply, json, jsonIn } from "../double.ts";

/** Reads of a campaign before the carriers have decided. */
const REVIEW_STATES = ["TCR_PENDING", "MNO_PENDING"] as const;
const RECORDS_MAX = 1_000;

type Fields = Record<string, unknown>;

interface Campaign {
  readonly fields: Fields;
  reads: number;
  /** Set by a test's request, in place of the review's result. */
  status: string | null;
}

export type EventMaker = (
  type: string,
  payload: object,
  url: string,
  atMs: number,
) => DoubleCallback;

type Part = (call: DoubleCall, id: string | undefined) => DoubleReply;

/** Telnyx's 10DLC API and its notifications. */
export interface TenDlcDouble {
  /** Answer to a request of this API; null for others. */
  answer(call: DoubleCall): DoubleReply | null;
  /** Notifications that became due, once. */
  takeCallbacks(): DoubleCallback[];
}

/**
 * Brands, campaigns and assignments of numbers: developers.telnyx.com/docs/messaging/10dlc. A campaign is decided with
 * its third read. Names decide: "Reject Me" is rejected, "Unverified" stays an unverified brand.
 */
export function tenDlcDouble(event: EventMaker): TenDlcDouble {
  const brands = new Map<string, Fields>();
  const campaigns = new Map<string, Campaign>();
  const assignments = new Map<string, Fields>();
  const due: DoubleCallback[] = [];
  const { createCampaign, campaignAt } = campaignParts(brands, campaigns);
  const parts = new Map<string, Part>([
    ["brand", brandPart(brands)],
    ["campaignBuilder", createCampaign],
    ["campaign", campaignAt],
    ["phone_number_campaigns", numberPart(campaigns, assignments)],
  ]);

  /** Requests of a test: carriers remove a number, or a brand changes, and Telnyx notifies of it. */
  const removeNumber = ({ phoneNumber }: Fields): DoubleReply => {
    const kept = assignments.get(String(phoneNumber));
    if (!kept) return ABSENT;
    assignments.delete(String(phoneNumber));
    const { campaignId } = kept;
    const url = campaigns.get(String(campaignId))?.fields["webhookURL"];
    const payload = { phoneNumber, campaignId, type: "DELETION", status: "SUCCESS" };
    if (typeof url === "string") {
      due.push(event("10dlc.phone_number.update", payload, url, EVENT_AT));
    }
    return json(200, kept);
  };
  const changeBrand = ({ brandId, campaignStatus }: Fields): DoubleReply => {
    const brand = brands.get(String(brandId));
    if (!brand) return ABSENT;
    for (const campaign of campaigns.values()) {
      if (campaign.fields["brandId"] === brandId) campaign.status = String(campaignStatus);
    }
    const { webhookURL: url, tcrBrandId } = brand;
    const payload = { brandId, tcrBrandId, type: "TCR_BRAND_UPDATE", status: "success" };
    if (typeof url === "string") due.push(event("10dlc.brand.update", payload, url, EVENT_AT));
    return json(200, brand);
  };

  /** A request of a test: sets a campaign's status, and notifies of it. */
  const change = ({ campaignId, campaignStatus }: Fields): DoubleReply => {
    const campaign = campaigns.get(String(campaignId));
    if (!campaign) return ABSENT;
    campaign.status = String(campaignStatus);
    const { webhookURL: url, brandId } = campaign.fields;
    const payload = { campaignId, brandId, type: "TCR_EVENT" };
    if (typeof url === "string") due.push(event("10dlc.campaign.update", payload, url, EVENT_AT));
    return json(200, readCampaign(campaign));
  };

  const act = (asked: Fields): DoubleReply => {
    if ("phoneNumber" in asked) return removeNumber(asked);
    return "campaignId" in asked ? change(asked) : changeBrand(asked);
  };

  return {
    takeCallbacks: () => due.splice(0),
    answer(call) {
      if (call.method === "POST" && call.path === "/_double/10dlc") return act(jsonIn(call));
      const [, campaignId] = METADATA_PATH.exec(call.path) ?? [];
      if (campaignId !== undefined) {
        return campaigns.has(campaignId) ? json(200, MNO_METADATA) : ABSENT;
      }
      const [, kind = "", id] = /^\/v2\/10dlc\/(\w+)(?:\/([^/]+))?$/.exec(call.path) ?? [];
      return parts.get(kind)?.(call, id) ?? null;
    },
  };
}

const METADATA_PATH = /^\/v2\/10dlc\/campaign\/([^/]+)\/mnoMetadata$/;

const DEMANDS = {
  ...{ qualify: true, mnoReview: false, mnoSupport: true, minMsgSamples: 1 },
  ...{ reqSubscriberOptin: true, reqSubscriberOptout: true, reqSubscriberHelp: true },
  ...{ noEmbeddedLink: false, noEmbeddedPhone: false },
};
/** By network id, with fields of the networks' own: The Campaign Registry names `tpm` and `brandTier`. */
const MNO_METADATA = {
  "10017": { ...DEMANDS, mno: "AT&T", msgClass: "E", tpm: 240 },
  "10035": { ...DEMANDS, mno: "T-Mobile", brandTier: "LOW_MID" },
  "10038": { ...DEMANDS, mno: "Verizon Wireless" },
};

const EVENT_AT = Date.UTC(2026, 10, 2);

function brandPart(brands: Map<string, Fields>): Part {
  return (call, id) => {
    const brand = brands.get(id ?? "");
    if (id !== undefined && !brand) return ABSENT;
    if (brand) {
      const kept = call.method === "PUT" ? { ...brand, ...checked(jsonIn(call)) } : brand;
      brands.set(id ?? "", kept);
      return json(200, kept);
    }
    return call.method === "POST"
      ? createBrand(brands, jsonIn(call))
      : records([...brands.values()], call.query, ["displayName", "tcrBrandId"]);
  };
}

function createBrand(brands: Map<string, Fields>, given: Fields): DoubleReply {
  const missing = REQUIRED.find((name) => typeof given[name] !== "string");
  if (missing) return problem(422, `${missing} is required.`);
  if (brands.size >= RECORDS_MAX) return problem(429, "Too many brands.");
  const brandId = idOf(4, brands.size + 1);
  const made = brandFields(given, brandId, brands.size + 1);
  brands.set(brandId, made);
  return json(200, made);
}

const REQUIRED = ["entityType", "displayName", "country", "email", "vertical"];

function campaignParts(brands: Map<string, Fields>, campaigns: Map<string, Campaign>) {
  const createCampaign: Part = (call) => {
    const given: Fields = jsonIn(call);
    const brand = brands.get(String(given["brandId"]));
    if (!brand) return problem(400, "The brand does not exist.");
    if (brand["identityStatus"] !== "VERIFIED") return problem(400, "The brand is not verified.");
    if (typeof given["sample1"] !== "string") return problem(422, "sample1 is required.");
    if (campaigns.size >= RECORDS_MAX) return problem(429, "Too many campaigns.");
    const number = campaigns.size + 1;
    const campaignId = idOf(5, number);
    const tcrCampaignId = `C${String(number).padStart(6, "0")}`;
    const fields = { ...given, campaignId, tcrCampaignId, brandDisplayName: brand["displayName"] };
    campaigns.set(campaignId, { fields, reads: 0, status: null });
    return json(200, { ...fields, campaignStatus: "TCR_PENDING", submissionStatus: "CREATED" });
  };
  const campaignAt: Part = (call, id) => {
    const all = [...campaigns.values()].map(({ fields }) => fields);
    if (id === undefined) return records(all, call.query, ["brandId"]);
    const campaign = campaigns.get(id);
    return campaign ? json(200, readCampaign(campaign)) : ABSENT;
  };
  return { createCampaign, campaignAt };
}

function readCampaign(campaign: Campaign): Fields {
  campaign.reads += 1;
  const isRejected = /reject me/i.test(String(campaign.fields["brandDisplayName"]));
  const decided = isRejected ? "MNO_REJECTED" : "MNO_PROVISIONED";
  const campaignStatus = campaign.status ?? REVIEW_STATES[campaign.reads - 1] ?? decided;
  const failureReasons = campaignStatus === "MNO_REJECTED" ? "The opt-in is not clear." : null;
  return { ...campaign.fields, campaignStatus, failureReasons };
}

/** Assignments of numbers, which are pending in the answer and done with the next read. */
function numberPart(
  campaigns: ReadonlyMap<string, Campaign>,
  assignments: Map<string, Fields>,
): Part {
  return (call, id) => {
    const kept = id === undefined ? undefined : assignments.get(decodeURIComponent(id));
    if (id !== undefined && !kept) return ABSENT;
    if (kept && call.method === "DELETE") assignments.delete(String(kept["phoneNumber"]));
    if (kept && call.method !== "PUT") return json(200, kept);
    const { phoneNumber, campaignId } = jsonIn(call);
    if (!campaigns.has(campaignId)) return problem(400, "The campaign does not exist.");
    if (assignments.size >= RECORDS_MAX) return problem(429, "Too many numbers.");
    const fields = { phoneNumber, campaignId, telnyxCampaignId: campaignId };
    assignments.set(phoneNumber, { ...fields, assignmentStatus: "ASSIGNED" });
    return json(200, { ...fields, assignmentStatus: "PENDING_ASSIGNMENT" });
  };
}

/** A UUID of the double: the kind, and a count. */
function idOf(kind: number, count: number): string {
  return `${kind}0000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
}

function brandFields(given: Fields, brandId: string, number: number): Fields {
  const tcrBrandId = `B${String(number).padStart(6, "0")}`;
  return { ...checked(given), brandId, tcrBrandId };
}

/** Status after the registry has compared name and tax number. */
function checked(given: Fields): Fields {
  const isUnverified =
    /unverified/i.test(String(given["displayName"])) && given["ein"] !== CORRECT_EIN;
  return { ...given, status: "OK", identityStatus: isUnverified ? "UNVERIFIED" : "VERIFIED" };
}

/** Tax number with which an "Unverified" brand is verified. */
const CORRECT_EIN = "12-3456789";

function records(all: Fields[], query: URLSearchParams, filters: readonly string[]): DoubleReply {
  const found = all.filter((one) =>
    filters.every((name) => !query.has(name) || one[name] === query.get(name)),
  );
  return json(200, { records: found, page: 1, totalRecords: found.length });
}

function problem(status: number, detail: string): DoubleReply {
  return json(status, { errors: [{ code: "10015", title: "Bad Request", detail }] });
}

const ABSENT = problem(404, "Not found.");
