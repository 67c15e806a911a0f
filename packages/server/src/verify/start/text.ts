import { CODE_MASK } from "../../platform/one-time-code.ts";

/** The text that carries a code, with a mask in the code's place. */
export function maskedText(appName: string | null, domain: string | null): string {
  const text = `Your ${appName ?? "verification"} code is ${CODE_MASK}.`;
  // The last line lets a browser fill the code in (WebOTP): only on that domain.
  return domain === null ? text : `${text}\n\n@${domain} #${CODE_MASK}`;
}
