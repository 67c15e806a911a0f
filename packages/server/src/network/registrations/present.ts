import { formatTimestamp, type Registration, registrationCodeSpec } from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import { filedSamples, generatedCopy, subjectOf } from "./copy.ts";
import { guidanceOf } from "./guidance.ts";
import type { RegistrationRow } from "./registration-row.ts";
import { checkSamples } from "./rules/check.ts";

/** A row as an API object. The check of the examples is computed each time. */
export function presentRegistration(row: RegistrationRow): Registration {
  const { given } = row;
  const samples = filedSamples(row);
  const sampleCheck = checkSamples(samples, subjectOf(row));
  return {
    id: toApiId("registration", row.id),
    object: "registration",
    kind: row.kind,
    status: row.status,
    mode: row.mode,
    business_name: row.business_name,
    website: row.website,
    use_case: row.use_case,
    opt_in_url: given.opt_in_url,
    privacy_url: given.privacy_url,
    terms_url: given.terms_url,
    support_email: given.support_email,
    brand: given.brand,
    toll_free: row.kind === "toll_free" ? (given.toll_free ?? {}) : null,
    campaign_id: given.campaign_id ?? null,
    brand_id: given.brand_id ?? null,
    reseller_id: given.reseller_id ?? null,
    limits: [...(row.limits?.networks ?? [])],
    sample_messages: [...samples],
    samples_source: given.sample_messages === null ? "starter" : "customer",
    description: given.description,
    sample_check: { ...sampleCheck, findings: [...sampleCheck.findings] },
    guidance: guidanceOf(row),
    check: row.website_check,
    rejection: rejectionOf(row, sampleCheck.findings),
    generated: generatedCopy(row),
    submissions: row.submissions,
    history: [...row.history],
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

interface Coded {
  readonly code: string;
  readonly level: string;
}

/** Findings and rejections share their codes, so a rejection joins to the finding of the check. */
function rejectionOf(row: RegistrationRow, samples: readonly Coded[]): Registration["rejection"] {
  if (row.rejection === null) return null;
  const { code, note, rejected_at } = row.rejection;
  const { title, explanation, fix, area } = registrationCodeSpec(code);
  const isGeneral = code.endsWith(".generic");
  const found: Coded[] = [...(row.website_check?.findings ?? []), ...samples];
  const related = found.filter(
    (finding) =>
      finding.level !== "pass" &&
      (finding.code === code || (isGeneral && areaOf(finding.code) === area)),
  );
  return {
    code,
    title,
    explanation,
    fix,
    note,
    related_findings: [...new Set(related.map((finding) => finding.code))],
    rejected_at,
  };
}

function areaOf(code: string): string {
  return registrationCodeSpec(code as Parameters<typeof registrationCodeSpec>[0]).area;
}
