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
  type ReadableCallback,
  type Receipt,
} from "../carrier.ts";
import type { CarrierConfig, HttpConfig } from "../config.ts";
import { phoneOf } from "../number-set.ts";
import { PRESETS } from "../presets/index.ts";
import { failureOf, shown } from "./answer.ts";
import type {
  CallbackOptions,
  Conditions,
  InboundPaths,
  ReceiptPaths,
  RecipientOptions,
} from "./callbacks-config.ts";
import { contentOf, contentTypeOf, unreadable } from "./content.ts";
import { costOf } from "./cost.ts";
import { type ReceiptMeaning, USUAL_RECEIPTS } from "./meanings.ts";
import { stringAt, type ValuePath, valuesAt } from "./path.ts";
import {
  headFault,
  type SignatureFault,
  type SignedCallbacks,
  signatureFault,
  tokenOf,
} from "./signature.ts";
import type { SignatureOptions } from "./signature-config.ts";
import { mentions } from "./template.ts";
import { meaningIn } from "./words.ts";

/** Beginning of the paths that carriers call. */
export const CALLBACKS_PATH = "/callbacks/";

const ITEMS_MAX = 1_000;
const RAW_CHARS_MAX = 2_000;
/** First step of paths into the query of the callback's URL, as in `$query.ref`. */
const QUERY = "$query";

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
  const path = `${CALLBACKS_PATH}${carrier}/${kind}`;
  const isSigned = options.signatures.length > 0;
  return isSigned ? path : `${path}/${tokenOf(carrier, options.secret, kind)}`;
}

/** Whole callback URLs of a carrier; null for kinds that it does not bring. */
export function callbackUrls(
  config: CarrierConfig,
  publicUrl: string | null,
): Readonly<Record<CallbackKind, string | null>> {
  const urlOf = (kind: CallbackKind) => {
    const path =
      config.type === "http" ? callbackUrl(config.name, config.http.callbacks, kind) : "";
    return path === "" ? null : `${publicUrl ?? ""}${path}`;
  };
  return { receipts: urlOf("receipts"), inbound: urlOf("inbound") };
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
    const { body, callbacks } = config.http;
    const isAsked = mentions(body, "receipts_url") || mentions(body, "inbound_url");
    const isSigned = callbacks?.signatures.some(coversUrl) === true;
    if (!isAsked && !isSigned) return [];
    const why = isAsked
      ? "gets its callback address from the server"
      : "signs its callback address";
    const canPoll = PRESETS.get(config.preset ?? "")?.options["poll_seconds"] !== undefined;
    const next = canPoll ? " Set it, or poll_seconds in that entry." : " Set it.";
    return [`LONGWAVE_PUBLIC_URL is not set, but ${config.name} ${why}.${next}`];
  });
}

function coversUrl(signature: SignatureOptions): boolean {
  if (signature.type === "jwt")
    return signature.urlClaim !== null || signature.urlHashClaim !== null;
  if (signature.type !== "hmac" && signature.type !== "ed25519") return false;
  return signature.signed.some((part) => typeof part !== "string" && part.value === "url");
}

/** A callback's item, with the query of the URL that was called. */
interface Item {
  readonly value: unknown;
  readonly query: Readonly<Record<string, string>>;
}

/** Reads HTTP callbacks of a carrier. */
export class HttpCallbacks implements Callbacks {
  readonly #deps: Pick<BindDeps, "clock" | "config">;
  readonly #carrier: string;
  readonly #numbers: HttpConfig["numbers"];
  readonly #options: CallbackOptions;
  readonly #sink: () => CarrierSink | null;

  constructor(
    deps: Pick<BindDeps, "clock" | "config">,
    { name, numbers }: Pick<HttpConfig, "name" | "numbers">,
    options: CallbackOptions,
    sink: () => CarrierSink | null,
  ) {
    this.#deps = deps;
    this.#carrier = name;
    this.#numbers = numbers;
    this.#options = options;
    this.#sink = sink;
  }

  async take(request: CallbackRequest): Promise<CallbackAnswer> {
    const own = this.#options[request.kind];
    if (!this.#sink()) {
      throw new Problem("unavailable", "The carrier is not started yet. Retry.");
    }
    if (!own) throw new Problem("not_found", "This carrier has no callback at this address.");
    const { kind, query, body } = request;
    const contentType = contentTypeOf(request.headers);
    // All items must be readable before any is stored, because a carrier repeats the whole callback.
    await this.store(this.read({ kind, query, contentType, body, isItem: false }));
    return own.answer;
  }

  read(callback: ReadableCallback): (Receipt | InboundMessage)[] {
    const { receipts, inbound } = this.#options;
    const own = this.#options[callback.kind];
    if (!own) throw new Problem("not_found", "This carrier has no callback at this address.");
    const content = contentOf(callback);
    const query = Object.fromEntries(new URLSearchParams(callback.query));
    // A carrier with one address for all events names the kind in each event.
    const itemsOf = (paths: ReceiptPaths | InboundPaths | null): Item[] => {
      if (paths === null || (paths !== own && paths.when.length === 0)) return [];
      const list = callback.isItem ? null : paths.list;
      return itemsIn(content, list, query).filter((item) => meets(item, paths.when));
    };
    const brought = [
      ...itemsOf(receipts).map((item) => this.#receiptIn(item, receipts as ReceiptPaths)),
      ...itemsOf(inbound).map((item) => this.#inboundIn(item, inbound as InboundPaths)),
    ];
    if (brought.length === 0 && own.when.length === 0) throw unreadable("it has no items");
    return brought;
  }

  async store(items: readonly (Receipt | InboundMessage)[]): Promise<void> {
    const sink = this.#sink();
    if (!sink) throw new Problem("unavailable", "The carrier is not started yet. Try again.");
    await Promise.all(
      items.map((item) => ("state" in item ? sink.receipt(item) : sink.inbound(item))),
    );
  }

  inspect(callback: ReadableCallback): { item: unknown; isState(word: string): boolean } {
    const paths = this.#options[callback.kind];
    const list = callback.isItem || !paths ? null : paths.list;
    const [first] = itemsIn(contentOf(callback), list, {});
    const { receipts } = this.#options;
    const isState = (word: string) => {
      const lower = word.toLowerCase();
      return USUAL_RECEIPTS.has(lower) || receipts?.statuses.has(lower) === true;
    };
    // Without an item at the list's path, the whole content may show where the items are.
    return { item: first?.value ?? contentOf(callback), isState };
  }

  checkHead(head: CallbackHead): void {
    this.#refuse(headFault(this.#signed(), head, this.#deps.clock.realNow()));
  }

  checkSignature(request: CallbackRequest): void {
    this.#refuse(signatureFault(this.#signed(), request, this.#deps.clock.realNow()));
  }

  #signed(): SignedCallbacks {
    const origin = this.#deps.config.publicUrl ?? "";
    return { carrier: this.#carrier, options: this.#options, origin };
  }

  #refuse(fault: SignatureFault | null): void {
    if (fault !== null) throw new Problem("invalid_api_key", fault.sentences, { param: fault.at });
  }

  #receiptIn(item: Item, paths: ReceiptPaths): Receipt {
    const reference = textAt(item, paths.id);
    const ourReference = textAt(item, paths.reference);
    const word = textAt(item, paths.status);
    if (reference === null && ourReference === null) throw unreadable("a receipt names no text");
    if (word === null) throw unreadable("a receipt has no status");
    const code = textAt(item, paths.error);
    const meaning = meaningOf(word, code, paths);
    const named = {
      carrier: this.#carrier,
      reference,
      ...(ourReference === null ? {} : { ourReference }),
      ...costIn(item, paths),
      raw: JSON.stringify(item.value).slice(0, RAW_CHARS_MAX),
    };
    const failure = failureOf(meaning);
    if (failure === null) {
      const state = meaning === "delivered" ? "delivered" : "intermediate";
      return { ...named, state, carrierCode: null };
    }
    const carrierCode = `dlr:${shown(word)}:${shown(code ?? "")}`;
    const optedOut = meaning === "opted_out" ? { hasOptedOut: true as const } : {};
    return { ...named, state: "failed", failure, carrierCode, ...optedOut };
  }

  #inboundIn(item: Item, paths: InboundPaths): InboundMessage {
    const from = textAt(item, paths.from);
    const to = this.#recipientOf(item, paths.to);
    if (from === null || to === null) throw unreadable("a text has no from or no to");
    const part = partIn(item.value, paths);
    return {
      carrier: this.#carrier,
      reference: textAt(item, paths.id),
      from: phoneOf(from, this.#deps.config),
      to: phoneOf(to, this.#deps.config),
      body: textAt(item, paths.body) ?? "",
      ...(part && part.total > 1 ? { part } : {}),
    };
  }

  /** A callback that names no recipient belongs to the carrier's only number. */
  #recipientOf(item: Item, { paths, numbers, literal }: RecipientOptions): string | null {
    const found = textAt(item, paths);
    if (found !== null && numbers === null) return found;
    const listed = found === null ? undefined : numbers?.get(found);
    const [first, ...others] = this.#numbers === "*" ? [] : this.#numbers;
    return listed ?? literal ?? (others.length === 0 ? (first ?? null) : null);
  }
}

function itemsIn(content: unknown, list: ValuePath | null, query: Item["query"]): Item[] {
  const values = list === null ? [content] : valuesAt(content, list).flat().slice(0, ITEMS_MAX);
  return values.map((value) => ({ value, query }));
}

/** The first string at any of the paths, in their order. */
function textAt({ value, query }: Item, paths: readonly ValuePath[]): string | null {
  for (const path of paths) {
    const found = path[0] === QUERY ? stringAt(query, path.slice(1)) : stringAt(value, path);
    if (found !== null) return found;
  }
  return null;
}

function costIn(item: Item, paths: ReceiptPaths): Pick<Receipt, "cost"> {
  const amount = textAt(item, paths.cost);
  const cost = costOf(amount === null ? [] : [amount], textAt(item, paths.currency));
  return cost === null ? {} : { cost };
}

function meets(item: Item, conditions: Conditions): boolean {
  return conditions.every(({ path, values }) => {
    const found = textAt(item, [path]);
    return found !== null && values.has(found.toLowerCase());
  });
}

/** The status decides; the error code says which failure it is. */
function meaningOf(
  word: string,
  code: string | null,
  { statuses, errors }: ReceiptPaths,
): ReceiptMeaning {
  const lower = word.toLowerCase();
  const meaning =
    meaningIn(statuses, lower) ?? USUAL_RECEIPTS.get(lower) ?? ("intermediate" as const);
  if (failureOf(meaning) === null || code === null) return meaning;
  return meaningIn(errors, code.toLowerCase()) ?? meaning;
}

function partIn(item: unknown, { part }: InboundPaths): InboundMessage["part"] | null {
  if (part === null) return null;
  const [reference, total, number] = [part.reference, part.total, part.number].map((path) => {
    const text = stringAt(item, path) ?? "";
    return /^\d{1,5}$/.test(text) ? Number(text) : 0;
  }) as [number, number, number];
  return number >= 1 && number <= total && total <= 255 ? { reference, total, number } : null;
}
