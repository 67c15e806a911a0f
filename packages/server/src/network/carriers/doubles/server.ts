import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../../core/platform/clock.ts";
import {
  createOutgoing,
  type Outgoing,
  type OutgoingResult,
} from "../../../core/platform/outgoing/index.ts";
import type { Random } from "../../../core/platform/random.ts";
import {
  type DoubleAnswer,
  type DoubleCall,
  type DoubleCallback,
  type DoubleCallbackKind,
  type DoubleDraft,
  type DoubleInbound,
  type DoubleMessage,
  type DoubleReceipt,
  type DoubleRecord,
  type DoubleReply,
  isReply,
  isSuccess,
  json,
  type ProviderDouble,
} from "./double.ts";
import { type PhoneScript, scriptOf } from "./script.ts";

const BODY_BYTES_MAX = 256 * 1024;
const MESSAGES_MAX = 10_000;
const RECEIPT_AFTER_MS = 200;
const LATE_AFTER_MS = 10_000;
const ANSWER_MS = 15_000;
const REPEAT_AFTER_MS = [1_000, 5_000] as const;
const CALLS_MAX = 1_000;

/** A callback that the double made, and what the provider makes of its answer. */
export interface MadeCall {
  readonly url: string;
  readonly kind: DoubleCallbackKind | null;
  /** Null where no answer came in time. */
  readonly answer: DoubleAnswer | null;
  readonly isTaken: boolean;
}

const NOT_MADE: MadeCall = { url: "", kind: null, answer: null, isTaken: false };

export interface DoubleOptions {
  readonly port: number;
  readonly host: string;
  /** URLs from the provider's settings; null where only requests name them. */
  readonly receiptsUrl: string | null;
  readonly inboundUrl: string | null;
  /** Origin that callbacks go to in place of the one in their URL, which stays the signed one. */
  readonly callbackOrigin?: string | null;
  /** Messages a second; above it the double throttles. Null for no limit. */
  readonly ratePerSecond: number | null;
  /** False: receipts come on request only. */
  readonly sendsReceipts: boolean;
  readonly onMessage?: (message: DoubleMessage, script: PhoneScript) => void;
  readonly onCallback?: (call: MadeCall) => void;
}

/** A provider's API on this machine: accepts messages, and brings receipts and replies. */
export class DoubleServer {
  readonly provider: ProviderDouble;
  readonly messages: DoubleMessage[] = [];
  /** Callbacks so far, oldest first. */
  readonly calls: MadeCall[] = [];
  readonly scripts = new Map<string, PhoneScript>();
  receiptsUrl: string | null;
  inboundUrl: string | null;
  callbackOrigin: string | null;
  readonly #options: DoubleOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #server: Server;
  readonly #outgoing: Outgoing;
  readonly #cancels = new Set<() => void>();
  /** Messages of both directions by id, oldest first. */
  readonly #records = new Map<string, DoubleRecord>();
  readonly #requestsTo = new Map<string, number>();
  /** Times of events by their contents. */
  readonly #eventTimes = new Map<string, number>();
  #second = { at: 0, messages: 0 };

  private constructor(
    provider: ProviderDouble,
    options: DoubleOptions,
    { clock, random }: { readonly clock: Clock; readonly random: Random },
  ) {
    this.provider = provider;
    this.receiptsUrl = options.receiptsUrl;
    this.inboundUrl = options.inboundUrl;
    this.callbackOrigin = options.callbackOrigin ?? null;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#outgoing = createOutgoing({
      now: clock.monotonic,
      userAgent: `Longwave double of ${provider.title}`,
      // A double runs on the developer's machine and calls servers there.
      checkAddress: () => null,
    });
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(
    provider: ProviderDouble,
    options: DoubleOptions,
    deps: { readonly clock: Clock; readonly random: Random },
  ): Promise<DoubleServer> {
    const double = new DoubleServer(provider, options, deps);
    double.#server.listen(options.port, options.host);
    await once(double.#server, "listening");
    return double;
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    await this.#outgoing.close();
  }

  /** Requests to send to this phone so far. */
  requestsTo(phone: string): number {
    return this.#requestsTo.get(phone) ?? 0;
  }

  messageTo(phone: string): DoubleMessage | null {
    return this.messages.findLast((one) => one.to === phone) ?? null;
  }

  /** Brings a receipt once; the status of the answer, or null without one. */
  async bringReceipt(
    receipt: Omit<DoubleReceipt, "atMs">,
    url: string | null = this.receiptsUrl,
  ): Promise<number | null> {
    return (await this.#bringReceipt(receipt, url)).answer?.status ?? null;
  }

  /** Brings a message from a phone once; the status of the answer, or null without one. */
  async bringInbound(inbound: Omit<DoubleInbound, "atMs">): Promise<number | null> {
    return (await this.#bringInbound(inbound)).answer?.status ?? null;
  }

  async #bringReceipt(receipt: Omit<DoubleReceipt, "atMs">, url: string | null): Promise<MadeCall> {
    const { id, state, failure } = receipt;
    const record = this.#records.get(id);
    const isFinal = record?.state === "delivered" || record?.state === "failed";
    if (record && !isFinal) this.#records.set(id, { ...record, state, failure });
    if (url === null) return NOT_MADE;
    // A repeated event keeps its id and time.
    const key = JSON.stringify([receipt, url]);
    const atMs = this.#eventTimes.get(key) ?? this.#clock.realNow();
    this.#eventTimes.set(key, atMs);
    const [oldest] = this.#eventTimes.keys();
    if (this.#eventTimes.size > MESSAGES_MAX && oldest) this.#eventTimes.delete(oldest);
    return this.#call(this.provider.receipt({ ...receipt, atMs }, url), "receipts");
  }

  async #bringInbound(inbound: Omit<DoubleInbound, "atMs">): Promise<MadeCall> {
    const url = this.inboundUrl ?? this.provider.inboundUrl?.() ?? null;
    const message = { ...inbound, atMs: this.#clock.realNow() };
    const listed = { direction: "inbound", state: "received", reference: null } as const;
    this.#record({ ...message, ...listed, failure: null });
    if (url === null) return NOT_MADE;
    const call = await this.#call(this.provider.inbound(message, url), "inbound");
    const body = call.answer === null ? null : (this.provider.replyIn?.(call.answer) ?? null);
    if (body !== null) this.#textBack({ from: inbound.to, to: inbound.from, body });
    return call;
  }

  /** Sends a message that an answer held, which no client asked for. */
  #textBack(message: Pick<DoubleMessage, "from" | "to" | "body">): void {
    const atMs = this.#clock.realNow();
    this.messages.push({
      ...message,
      reference: null,
      receiptsUrl: null,
      ids: [this.newId()],
      atMs,
    });
    if (this.messages.length > MESSAGES_MAX) this.messages.shift();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await this.#answer(request).catch((error: unknown) =>
      json(500, { error: String(error) }),
    );
    if (reply === null) {
      response.socket?.destroy();
      return;
    }
    response.writeHead(reply.status, reply.headers ?? {});
    response.end(reply.body);
  }

  /** Null for a connection that breaks. */
  async #answer(request: IncomingMessage): Promise<DoubleReply | null> {
    const call = await readCall(request, this.#clock.realNow());
    if (call === null) return json(413, { error: "too large" });
    const own =
      this.#control(call) ??
      this.provider.other?.(call) ??
      this.provider.list?.(call, this.#newest());
    for (const callback of this.provider.takeCallbacks?.() ?? []) {
      this.#later(0, () => this.#repeat(() => this.#call(callback, null)));
    }
    if (own) return own;
    const draft = this.provider.send(call);
    if (draft === null) return json(404, { error: `${this.provider.title} has no ${call.path}.` });
    return isReply(draft) ? draft : this.#take(draft);
  }

  async #take(draft: DoubleDraft): Promise<DoubleReply | null> {
    const earlier = this.requestsTo(draft.to);
    this.#requestsTo.set(draft.to, earlier + 1);
    const script = this.scripts.get(draft.to) ?? scriptOf(draft.to);
    if (this.#isOverRate()) return this.provider.throttled();
    const isKnown = this.messages.some((one) => one.ids.includes(draft.ownId ?? ""));
    if (isKnown && this.provider.repeated) return this.provider.repeated();
    if (script.answer === "refuse") {
      const refusal = this.provider.refused(script.failure);
      if (refusal !== null) return refusal;
      return this.#accept(draft, { answer: "accept", failure: script.failure });
    }
    const isBusy = script.answer === "throttle" || script.answer === "unavailable";
    if (isBusy && earlier < script.times) {
      return script.answer === "throttle" ? this.provider.throttled() : this.provider.unavailable();
    }
    if (script.answer !== "lost") return this.#accept(draft, script);
    if (script.isAccepted) await this.#accept(draft, script);
    return null;
  }

  async #accept(draft: DoubleDraft, script: PhoneScript): Promise<DoubleReply> {
    const ids = Array.from({ length: draft.idCount ?? 1 }, () => draft.ownId ?? this.newId());
    const message: DoubleMessage = { ...draft, ids, atMs: this.#clock.realNow() };
    this.messages.push(message);
    if (this.messages.length > MESSAGES_MAX) this.messages.shift();
    const { from, to, body, reference, atMs } = message;
    const sent = { direction: "outbound", state: "queued", failure: null } as const;
    for (const id of ids) this.#record({ id, from, to, body, reference, atMs, ...sent });
    this.#options.onMessage?.(message, script);
    await this.#followUp(message, script);
    return this.provider.accepted(message);
  }

  /** Receipts and the reply of a message, as its phone's script says. */
  async #followUp(message: DoubleMessage, script: PhoneScript): Promise<void> {
    const reply = /^MO:(.*)$/s.exec(message.body)?.[1];
    if (reply !== undefined) {
      const inbound = { id: this.newId(), from: message.to, to: message.from, body: reply.trim() };
      this.#later(RECEIPT_AFTER_MS, () => this.#repeat(() => this.#bringInbound(inbound)));
    }
    const failure = script.answer === "accept" ? script.failure : null;
    const order = script.answer === "accept" ? script.receipts : undefined;
    if (!this.#options.sendsReceipts && order !== "early") return;
    const final = failure === null ? "delivered" : "failed";
    const states = order === "reordered" ? [final, "sent"] : ["sent", final];
    const all = order === "twice" ? states.flatMap((state) => [state, state]) : states;
    const bring = async () => {
      for (const state of all as DoubleReceipt["state"][]) {
        for (const id of message.ids) {
          const { from, to, reference } = message;
          const said = state === "failed" ? failure : null;
          const receipt = { id, from, to, reference, state, failure: said };
          const url =
            message.receiptsUrl ?? this.receiptsUrl ?? this.provider.receiptsUrl?.() ?? null;
          await this.#repeat(() => this.#bringReceipt(receipt, url));
        }
      }
    };
    if (order === "early") await bring();
    else this.#later(order === "late" ? LATE_AFTER_MS : RECEIPT_AFTER_MS, bring);
  }

  #record(record: DoubleRecord): void {
    if (!this.#records.has(record.id)) this.#records.set(record.id, record);
    const [oldest] = this.#records.keys();
    if (this.#records.size > MESSAGES_MAX && oldest) this.#records.delete(oldest);
  }

  #newest(): DoubleRecord[] {
    return [...this.#records.values()].reverse();
  }

  newId(): string {
    const hex = this.#random.bytes(16).toString("hex");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  #later(ms: number, work: () => Promise<unknown>): void {
    const cancel = this.#clock.after(ms, () => {
      this.#cancels.delete(cancel);
      void work();
    });
    this.#cancels.add(cancel);
  }

  /** Repeats a callback that was not taken. */
  async #repeat(bring: () => Promise<MadeCall>, done = 0): Promise<void> {
    const { isTaken } = await bring();
    const afterMs = (this.provider.repeatAfterMs ?? REPEAT_AFTER_MS)[done];
    if (!isTaken && afterMs !== undefined) {
      this.#later(afterMs, () => this.#repeat(bring, done + 1));
    }
  }

  async #call(callback: DoubleCallback, kind: MadeCall["kind"]): Promise<MadeCall> {
    const signed = new URL(callback.url);
    const origin = this.callbackOrigin ?? signed.origin;
    const result = await this.#outgoing.request({
      method: callback.method,
      url: `${origin}${signed.pathname}${signed.search}`,
      plainHttp: true,
      headers: Object.entries(callback.headers).flat(),
      ...(callback.body === "" ? {} : { body: callback.body }),
      deadlineMs: this.provider.answerMs ?? ANSWER_MS,
      bodyBytesMax: BODY_BYTES_MAX,
    });
    const answer = result.kind === "answer" ? answerOf(result) : null;
    const takes = (kind && this.provider.takes) ?? isSuccess;
    const isTaken = answer !== null && takes(answer, kind ?? "receipts");
    const call: MadeCall = { url: callback.url, kind, answer, isTaken };
    this.calls.push(call);
    if (this.calls.length > CALLS_MAX) this.calls.shift();
    this.#options.onCallback?.(call);
    return call;
  }

  #isOverRate(): boolean {
    const { ratePerSecond } = this.#options;
    const at = Math.floor(this.#clock.realNow() / 1_000);
    if (this.#second.at !== at) this.#second = { at, messages: 0 };
    this.#second.messages += 1;
    return ratePerSecond !== null && this.#second.messages > ratePerSecond;
  }

  /** Requests of tests: accepted messages, callbacks so far, and a message from a phone. */
  #control(call: DoubleCall): DoubleReply | null {
    if (call.path === "/_double/messages") return json(200, { data: this.messages });
    if (call.path === "/_double/callbacks") return json(200, { data: this.calls });
    if (call.path !== "/_double/inbound" || call.method !== "POST") return null;
    const { from, to, body } = JSON.parse(call.text);
    const inbound = { id: this.newId(), from: String(from), to: String(to), body: String(body) };
    this.#later(0, () => this.#repeat(() => this.#bringInbound(inbound)));
    return json(202, { id: inbound.id });
  }
}

function answerOf({
  status,
  headers,
  body,
}: Extract<OutgoingResult, { kind: "answer" }>): DoubleAnswer {
  const { "content-type": header = "" } = headers;
  const [type = ""] = String(header).split(";");
  return { status, type: type.trim().toLowerCase(), body: body.toString("utf8") };
}

/** Null for a body beyond the limit. */
async function readCall(request: IncomingMessage, atMs: number): Promise<DoubleCall | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += (piece as Buffer).length;
    if (size > BODY_BYTES_MAX) return null;
    pieces.push(piece as Buffer);
  }
  const url = new URL(request.url ?? "/", "http://double");
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value] as const,
  );
  return {
    method: request.method ?? "",
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers),
    text: Buffer.concat(pieces).toString("utf8"),
    atMs,
  };
}
