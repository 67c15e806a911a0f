import { isIP } from "node:net";
import {
  type ConsentBasis,
  type ConsentEvidence,
  type ConsentStatus,
  formatTimestamp,
  Problem,
  parseTimestamp,
} from "@longwave/contract";

export interface EvidenceInput {
  readonly disclosure?: string | undefined;
  readonly page_url?: string | undefined;
  readonly ip?: string | undefined;
  readonly user_agent?: string | undefined;
  readonly form_version?: string | undefined;
  readonly collected_at?: string | number | undefined;
}

interface ChoiceInput {
  readonly status: ConsentStatus;
  readonly basis?: ConsentBasis | undefined;
  readonly evidence?: EvidenceInput | undefined;
}

/** Basis and evidence of a choice, validated. `path` leads to the choice in the body: `numbers[3].`. */
export function readEvidence(
  input: ChoiceInput,
  nowMs: number,
  path = "",
): { readonly basis?: ConsentBasis; readonly evidence: ConsentEvidence | null } {
  const { status, basis, evidence } = input;
  if (basis !== undefined && status !== "opted_in") {
    throw refusal(`${path}basis`, "basis is for opt-ins. Leave it out of an opt-out.");
  }
  const kind = basis === undefined ? {} : { basis };
  if (evidence === undefined) return { ...kind, evidence: null };
  const { ip } = evidence;
  if (ip !== undefined && isIP(ip) === 0) {
    throw refusal(`${path}evidence.ip`, "ip is an IPv4 or IPv6 address, such as 203.0.113.7.");
  }
  return {
    ...kind,
    evidence: {
      disclosure: evidence.disclosure ?? null,
      page_url: evidence.page_url ?? null,
      ip: ip ?? null,
      user_agent: evidence.user_agent ?? null,
      form_version: evidence.form_version ?? null,
      collected_at: collectedAt(evidence.collected_at, nowMs, `${path}evidence.collected_at`),
    },
  };
}

function collectedAt(
  given: string | number | undefined,
  nowMs: number,
  param: string,
): string | null {
  if (given === undefined) return null;
  const ms = parseTimestamp(given);
  if (ms === null) {
    throw refusal(param, "collected_at is ISO 8601 with a zone, or epoch milliseconds.");
  }
  if (ms > nowMs) {
    throw refusal(param, "collected_at is in the future: nobody can have agreed then.");
  }
  return formatTimestamp(ms);
}

function refusal(param: string, message: string): Problem {
  return new Problem("invalid_request", message, { param });
}
