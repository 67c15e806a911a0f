/** Reason why no answer came, as a customer learns it. */
export type FailureReason = "timeout" | "refused" | "dns" | "tls" | "blocked" | "unreachable";

/** An address that must not be reached. */
export class BlockedTargetError extends Error {
  override readonly name = "BlockedTargetError";
}

/** A name without a usable address. */
export class UnresolvedError extends Error {
  override readonly name = "UnresolvedError";
}

const TLS_FAILURE =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_)/;

export function isTlsFailure(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return TLS_FAILURE.test(code);
}

export function reasonOf(error: unknown): FailureReason {
  if (error instanceof BlockedTargetError) return "blocked";
  if (error instanceof UnresolvedError) return "dns";
  if (isTlsFailure(error)) return "tls";
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ECONNREFUSED" ? "refused" : "unreachable";
}
