import { FAILURES, type Failure, type FailureCode } from "@longwave/contract";

/** Why a text failed, as the API shows it. */
export function presentFailure(code: FailureCode, carrierCode: string | null): Failure {
  const { title, explanation, action } = FAILURES[code];
  return { code, title, explanation, action, carrier_code: carrierCode };
}
