import { LINE_TYPES, type LineType } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { LineFinding, LookupProvider } from "./provider.ts";

const DEADLINE_MS = 3_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const REQUESTS_AT_ONCE_MAX = 8;
const CARRIER_CHARS_MAX = 120;

/**
 * Lookup provider over HTTP, one number per request: `{phone}` in its URL is the number. The
 * service answers `{"line_type", "carrier", "ported"}`; the carrier is a name or an object with
 * one.
 */
export function httpProvider(
  deps: Pick<Base, "clock" | "log" | "outgoing">,
  url: string,
  token: string | null,
): LookupProvider {
  const name = new URL(url).hostname;
  const headers = ["accept", "application/json"];
  if (token !== null) headers.push("authorization", `Bearer ${token}`);
  const ask = async (phone: string): Promise<LineFinding | null> => {
    const result = await deps.outgoing.request({
      method: "GET",
      url: url.replaceAll("{phone}", encodeURIComponent(phone)),
      headers,
      deadlineMs: DEADLINE_MS,
      bodyBytesMax: ANSWER_BYTES_MAX,
      reuse: true,
    });
    const isAnswer = result.kind === "answer" && result.status === 200 && !result.truncated;
    const read = isAnswer ? readAnswer(result.body.toString("utf8")) : null;
    if (read === null) {
      const why = result.kind === "failed" ? result.detail : `status ${result.status}`;
      deps.log.warn({ provider: name, why }, "lookup: request failed");
      return null;
    }
    return { ...read, checkedAtMs: deps.clock.now(), source: name };
  };
  return {
    name,
    async find(phones) {
      const found = new Map<string, LineFinding>();
      const left = [...phones];
      const work = async () => {
        for (let phone = left.pop(); phone !== undefined; phone = left.pop()) {
          const finding = await ask(phone);
          if (finding) found.set(phone, finding);
        }
      };
      await Promise.all(Array.from({ length: REQUESTS_AT_ONCE_MAX }, work));
      return found;
    },
  };
}

type Read = Pick<LineFinding, "lineType" | "carrier" | "ported">;

/** A parsed answer, or null when it does not have the agreed form. */
function readAnswer(text: string): Read | null {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof answer !== "object" || answer === null) return null;
  const { line_type, carrier, ported } = answer as Record<string, unknown>;
  if (!LINE_TYPES.includes(line_type as LineType)) return null;
  return {
    lineType: line_type as LineType,
    carrier: carrierName(carrier),
    ported: typeof ported === "boolean" ? ported : null,
  };
}

function carrierName(carrier: unknown): string | null {
  const name =
    typeof carrier === "object" && carrier !== null
      ? (carrier as { name?: unknown }).name
      : carrier;
  if (typeof name !== "string" || name.trim() === "") return null;
  return name.replaceAll("\0", "").trim().slice(0, CARRIER_CHARS_MAX);
}
