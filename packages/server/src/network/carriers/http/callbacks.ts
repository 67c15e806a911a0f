import { Problem } from "@longwave/contract";
import type { BindDeps } from "../binds/leased-binds.ts";
import {
  CALLBACK_KINDS,
  type CallbackAnswer,
  type CallbackHead,
  type CallbackKind,
  type CallbackRequest,
  type Callbacks,
  type CarrierSink,
  type InboundMessage,
  type Receipt,
} from "../carrier.ts";
import type { CarrierConfig } from "../config.ts";
import { phoneOf } from "../number-set.ts";
import { isFailure, shown } from "./answer.ts";
import type { CallbackOptions, InboundPaths, ReceiptPaths } from "./config.ts";
import { ANY_WORD, type ReceiptMeaning, USUAL_RECEIPTS } from "./meanings.ts";
import { parseLoosely, stringAt, type ValuePath, valuesAt } from "./path.ts";
import { headFault, type SignatureFault, signatureFault, tokenOf } from "./signature.ts";
import { mentions } from "./template.ts";

const ITEMS_MAX = 1_000;
const RAW_CHARS_MAX = 2_000;

/**
 * Callback path of a carrier. For carriers that do not sign, the path ends in a token derived from
 * the secret.
 */
export function callbackUrl(
  carrier: string,
  options: CallbackOptions | null,
  kind: CallbackKind,
): string {
  if (options?.[kind] == null) return "";
  const path = `/callbacks/${carrier}/${kind}`;
  return options.signature ? path : `${path}/${tokenOf(carrier, options.secret, kind)}`;
}

/** Callback paths of all HTTP carriers, one line each. */
export function describeCallbacks(configs: readonly CarrierConfig[]): string[] {
  return configs.flatMap((config) => {
    if (config.type !== "http") return [];
    const paths = CALLBACK_KINDS.map((kind) => [
      kind,
      callbackUrl(config.name, config.http.callbacks, kind),
    ]);
    return paths
      .filter(([, path]) => path !== "")
      .map(([kind, path]) => `${config.name} brings ${kind} to ${path}`);
  });
}

/** Callback URLs need a public origin. */
export function callbackProblems(
  configs: readonly CarrierConfig[],
  publicUrl: string | null,
): string[] {
  if (publicUrl !== null) return [];
  return configs.flatMap((config) => {
    if (config.type !== "http") return [];
    const { body } = config.http;
    const isAsked = mentions(body, "receipts_url") || mentions(body, "inbound_url");
    if (!isAsked) return [];
    return [`LONGWAVE_PUBLIC_URL is not set, but ${config.name} is told where to call back.`];
  });
}

/** Reads HTTP callbacks of a carrier. Checks the signature before anything else. */
export class HttpCallbacks implements Callbacks {
  readonly #deps: Pick<BindDeps, "clock">;
  readonly #carrier: string;
  readonly #options: CallbackOptions;
  readonly #sink: () => CarrierSink | null;

  constructor(
    deps: Pick<BindDeps, "clock">,
    carrier: string,
    options: CallbackOptions,
    sink: () => CarrierSink | null,
  ) {
    this.#deps = deps;
    this.#carrier = carrier;
    this.#options = options;
    this.#sink = sink;
  }

  async take(request: CallbackRequest): Promise<CallbackAnswer> {
    const { receipts, inbound } = this.#options;
    this.#checkSignature(request);
    const sink = this.#sink();
    if (!sink) throw new Problem("unavailable", "The carrier is not started yet. Bring it again.");
    const root = contentOf(request);
    if (request.kind === "receipts" && receipts) {
      const items = this.#items(root, receipts.list, (one) => this.#receiptIn(one, receipts));
      await Promise.all(items.map((item) => sink.receipt(item)));
      return receipts.answer;
    }
    if (request.kind === "inbound" && inbound) {
      const items = this.#items(root, inbound.list, (one) => this.#inboundIn(one, inbound));
      await Promise.all(items.map((item) => sink.inbound(item)));
      return inbound.answer;
    }
    throw new Problem("not_found", "This carrier brings nothing here.");
  }

  checkHead(head: CallbackHead): void {
    this.#refuse(headFault(this.#carrier, this.#options, head, this.#deps.clock.realNow()));
  }

  #checkSignature(request: CallbackRequest): void {
    const now = this.#deps.clock.realNow();
    this.#refuse(signatureFault(this.#carrier, this.#options, request, now));
  }

  #refuse(fault: SignatureFault | null): void {
    if (fault !== null) throw new Problem("invalid_api_key", fault.sentences, { param: fault.at });
  }

  /**
   * All items must be readable before any is stored, because a carrier repeats the whole callback.
   */
  #items<T>(root: unknown, list: ValuePath | null, read: (item: unknown) => T): T[] {
    const items = list === null ? [root] : valuesAt(root, list).flat().slice(0, ITEMS_MAX);
    if (items.length === 0) throw unreadable("it has no items");
    return items.map(read);
  }

  #receiptIn(item: unknown, paths: ReceiptPaths): Receipt {
    const reference = stringAt(item, paths.id);
    const ourReference = stringAt(item, paths.reference);
    const word = stringAt(item, paths.status);
    if (reference === null && ourReference === null) throw unreadable("a receipt names no text");
    if (word === null) throw unreadable("a receipt has no status");
    const meaning = meaningOf(word, paths);
    const named = {
      carrier: this.#carrier,
      reference,
      ...(ourReference === null ? {} : { ourReference }),
      raw: JSON.stringify(item).slice(0, RAW_CHARS_MAX),
    };
    if (!isFailure(meaning)) return { ...named, state: meaning, carrierCode: null };
    const carrierCode = `dlr:${shown(word)}:${shown(stringAt(item, paths.error) ?? "")}`;
    return { ...named, state: "failed", failure: meaning, carrierCode };
  }

  #inboundIn(item: unknown, paths: InboundPaths): InboundMessage {
    const [from, to] = [stringAt(item, paths.from), stringAt(item, paths.to)];
    if (from === null || to === null) throw unreadable("a text has no from or no to");
    const part = partIn(item, paths);
    return {
      carrier: this.#carrier,
      reference: stringAt(item, paths.id),
      from: phoneOf(from),
      to: phoneOf(to),
      body: stringAt(item, paths.body) ?? "",
      ...(part && part.total > 1 ? { part } : {}),
    };
  }
}

function meaningOf(word: string, { statuses }: ReceiptPaths): ReceiptMeaning {
  const lower = word.toLowerCase();
  return (
    statuses.get(lower) ??
    statuses.get(ANY_WORD) ??
    USUAL_RECEIPTS.get(lower) ??
    ("intermediate" as const)
  );
}

function partIn(item: unknown, { part }: InboundPaths): InboundMessage["part"] | null {
  if (part === null) return null;
  const [reference, total, number] = [part.reference, part.total, part.number].map((path) => {
    const text = stringAt(item, path) ?? "";
    return /^\d{1,5}$/.test(text) ? Number(text) : 0;
  }) as [number, number, number];
  return number >= 1 && number <= total && total <= 255 ? { reference, total, number } : null;
}

/** Content as JSON, a form, or query parameters. */
function contentOf({ headers, query, body }: CallbackRequest): unknown {
  const type = String(headers["content-type"] ?? "");
  if (body.length === 0) return Object.fromEntries(new URLSearchParams(query));
  const text = body.toString("utf8");
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  const content = parseLoosely(text);
  if (content === undefined) throw unreadable("it is neither JSON nor a form");
  return content;
}

function unreadable(why: string): Problem {
  return new Problem("invalid_request", `The call cannot be read: ${why}.`);
}
