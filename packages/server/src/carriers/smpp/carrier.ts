import { randomInt } from "node:crypto";
import {
  type Answered,
  canonicalId,
  type Delivery,
  type Outcome,
  readReceipt,
  STATUSES,
  statusKind,
  type TextPart,
  tlv,
} from "@longwave/smpp";
import type { Base } from "../../base.ts";
import { LANES } from "../../queue/lane-names.ts";
import type { Wakes } from "../../queue/wakes.ts";
import type { Carrier, CarrierSink, LinkState, OutboundText, SubmitOutcome } from "../carrier.ts";
import type { SmppConfig } from "../config.ts";
import { Bind } from "./bind.ts";
import { inboundOf, partsOf, receiptOf, refusalOf, submitFields } from "./map.ts";
import { ShortReferences } from "./short-references.ts";
import { forgetBinds, takeBind } from "./sql.ts";

export type SmppDeps = Pick<Base, "db" | "clock" | "log" | "ids" | "random"> & {
  readonly wakes: Wakes;
};

const TICK_MS = 500;
/** Every so many ticks leases are renewed. */
const TICKS_PER_RENEWAL = 4;
/** A start waits this long for the link, so that the first texts find it up. */
const START_WAIT_MS = 2_000;
/** A text that the carrier is too busy for is offered again for this long, as the same attempt. */
const BUSY_MS_MAX = 120_000;
/** A part waits this long for a link that went down after the part before it was taken. */
const LINK_WAIT_MS_MAX = 10_000;
const WAIT_STEP_MS = 250;

type Part =
  | { readonly outcome: Exclude<Outcome, { kind: "unknown" }> }
  | { readonly unknown: Extract<Outcome, { kind: "unknown" }> };

/** A carrier that speaks SMPP. Its binds are spread over the processes; this one has those it owns. */
export class SmppCarrier implements Carrier {
  readonly name: string;
  readonly #config: SmppConfig;
  readonly #deps: SmppDeps;
  readonly #by: string;
  readonly #owner: string;
  readonly #stopping = new AbortController();
  readonly #references: ShortReferences;
  #binds: Bind[] = [];
  #sink: CarrierSink | null = null;
  #ticking: Promise<void> = Promise.resolve();
  #ticks = 0;
  #longTextReference = randomInt(0x10000);

  constructor(config: SmppConfig, deps: SmppDeps, owner: string) {
    this.name = config.name;
    this.#config = config;
    this.#deps = deps;
    this.#by = deps.ids.make();
    this.#owner = owner;
    this.#references = new ShortReferences(deps, config.name);
  }

  reserve(count: number): number {
    let taken = 0;
    for (const bind of this.#binds) {
      const places = Math.min(count - taken, bind.free);
      bind.held += places;
      taken += places;
    }
    return taken;
  }

  release(count: number): void {
    let left = count;
    for (const bind of this.#binds) {
      const places = Math.min(left, bind.held);
      bind.held -= places;
      left -= places;
    }
  }

  async submit(text: OutboundText): Promise<SubmitOutcome> {
    const bind = this.#bindOfPlace();
    if (!bind) return NOT_SENT;
    this.#longTextReference = (this.#longTextReference + 1) & 0xffff;
    const parts = partsOf(text, this.#config.smpp, this.#longTextReference);
    const short = this.#references.take(parts.length, text.ourReference);
    let isPlaceHeld = false;
    try {
      const references: string[] = [];
      for (const [index, part] of parts.entries()) {
        const result = await this.#submitPart(bind, text, part, short[index] as number, index > 0);
        if ("unknown" in result) {
          isPlaceHeld = true;
          return await this.#unknown(bind, result.unknown, short, text, parts.length);
        }
        const { outcome } = result;
        if (outcome.kind === "answered" && outcome.status === 0) {
          references.push(canonicalId(outcome.messageId, this.#config.smpp.receiptId, "response"));
          continue;
        }
        this.#references.release(short);
        return this.#refused(outcome, index > 0);
      }
      this.#references.release(short);
      return { kind: "accepted", references: references.filter((reference) => reference !== "") };
    } finally {
      if (!isPlaceHeld) this.#freePlace(bind);
    }
  }

  state(): LinkState {
    const states = this.#binds.map((bind) => bind.client.state());
    const { ratePerSecond } = this.#config.smpp;
    const isUp = states.some(({ state }) => state === "up");
    return {
      state: isUp ? "up" : states.length > 0 ? "connecting" : "down",
      windowFree: this.#binds.reduce((free, bind) => free + bind.free, 0),
      ratePerSecond,
      lastError: states.find(({ lastError }) => lastError !== null)?.lastError ?? null,
    };
  }

  async start(sink: CarrierSink): Promise<void> {
    this.#sink = sink;
    await this.#tick();
    const endMs = this.#deps.clock.monotonic() + START_WAIT_MS;
    while (this.#binds.length > 0 && this.state().state !== "up") {
      if (this.#deps.clock.monotonic() > endMs) break;
      await this.#deps.clock.sleep(20);
    }
    this.#ticking = this.#keepTicking();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ticking;
    const binds = this.#binds;
    await Promise.all(binds.map((bind) => bind.stop()));
    this.#binds = [];
  }

  /** A place was reserved on some bind: the one with most of them. */
  #bindOfPlace(): Bind | null {
    const [first = null] = this.#binds
      .filter((bind) => bind.held > 0)
      .sort((a, b) => Number(b.isOurs) - Number(a.isOurs) || b.held - a.held);
    return first;
  }

  #freePlace(bind: Bind): void {
    bind.held = Math.max(0, bind.held - 1);
    this.#deps.wakes.wake(LANES.dispatch);
  }

  /** One part, until it is answered: busy carriers are waited for, and so is the rate. */
  async #submitPart(
    bind: Bind,
    text: OutboundText,
    part: TextPart,
    short: number,
    isLater: boolean,
  ): Promise<Part> {
    const { clock } = this.#deps;
    const begunMs = clock.monotonic();
    const fields = submitFields(text, part);
    const tlvs = [tlv("user_message_reference", short), ...part.tlvs];
    for (;;) {
      const waitedMs = clock.monotonic() - begunMs;
      const reason = this.#whyNot(bind, waitedMs, isLater);
      if (reason) return { outcome: { kind: "not_sent", reason } };
      const { waitMs, state } = bind.client.state();
      if (waitMs > 0 || state !== "up") {
        await clock.sleep(Math.min(waitMs || WAIT_STEP_MS, WAIT_STEP_MS), this.#stopping.signal);
        continue;
      }
      const outcome = await bind.client.submit(fields, tlvs);
      if (outcome.kind === "unknown") return { unknown: outcome };
      const isBusy = outcome.kind === "answered" && this.#isBusy(outcome);
      if (!isBusy || clock.monotonic() - begunMs > BUSY_MS_MAX) return { outcome };
    }
  }

  #isBusy(answer: Answered): boolean {
    if (answer.command === "generic_nack") return false;
    return statusKind(answer.status, this.#config.smpp.statusKinds) === "slow_down";
  }

  /** Why a part cannot be written now, nor soon. */
  #whyNot(bind: Bind, waitedMs: number, isLater: boolean): string | null {
    if (this.#stopping.signal.aborted && !isLater) return "The link is being stopped.";
    if (!bind.isOurs) return "Another process has the bind.";
    const isDown = bind.client.state().state !== "up";
    if (isDown && waitedMs > (isLater ? LINK_WAIT_MS_MAX : 0)) return "The link is down.";
    return waitedMs > BUSY_MS_MAX ? "The carrier is too busy." : null;
  }

  /** A text of which a part has left is never sent again as a whole. */
  #refused(outcome: Exclude<Outcome, { kind: "unknown" }>, isPartSent: boolean): SubmitOutcome {
    const refusal = outcome.kind === "answered" ? refusalOf(outcome, this.#config.smpp) : NOT_SENT;
    if (!isPartSent || refusal.kind !== "refused" || !refusal.isTemporary) return refusal;
    return { ...refusal, isTemporary: false, failure: "carrier_unavailable" };
  }

  /** Nobody knows whether it left. A receipt that echoes our reference tells, or a late answer. */
  async #unknown(
    bind: Bind,
    outcome: Extract<Outcome, { kind: "unknown" }>,
    short: readonly number[],
    text: OutboundText,
    parts: number,
  ): Promise<SubmitOutcome> {
    const late = outcome.late.then((answer): SubmitOutcome | null => {
      this.#freePlace(bind);
      // Of a longer text the rest was never sent: the answer to one part settles nothing.
      if (answer === null || parts > 1) return null;
      if (answer.status !== 0) return this.#refused(answer, false);
      return {
        kind: "accepted",
        references: [canonicalId(answer.messageId, this.#config.smpp.receiptId, "response")],
      };
    });
    await this.#references.keep(short, text.ourReference);
    return { kind: "unknown", late };
  }

  async #keepTicking(): Promise<void> {
    const { clock, log } = this.#deps;
    for (;;) {
      await clock.sleep(TICK_MS, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return;
      await this.#tick().catch((error: unknown) => {
        log.warn(
          { err: error, carrier: this.name },
          "the binds of a carrier could not be looked after",
        );
      });
    }
  }

  /** Renews what is ours, lets go of what is not, and takes one bind that is free. */
  async #tick(): Promise<void> {
    const { clock, db, log } = this.#deps;
    this.#ticks += 1;
    if (this.#ticks % TICKS_PER_RENEWAL === 0) {
      for (const bind of this.#binds) {
        if (await bind.renew()) continue;
        log.warn({ carrier: this.name, bind: bind.number }, "another process has a bind of ours");
        this.#binds = this.#binds.filter((one) => one !== bind);
        void bind.stop();
      }
      await this.#references.refresh();
    }
    const { binds } = this.#config.smpp;
    if (this.#binds.length >= binds) return;
    const leasedAtMs = clock.monotonic();
    const [taken] = await db.query<{ bind: number; lease_epoch: number }>(takeBind, [
      this.name,
      binds,
      this.#by,
      this.#owner,
    ]);
    if (!taken) return;
    const lease = { bind: taken.bind, by: this.#by, epoch: taken.lease_epoch };
    const onChange = () => this.#deps.wakes.wake(LANES.dispatch);
    const onDelivery = (pdu: Delivery) => this.#deliver(pdu);
    this.#binds.push(
      new Bind(this.#deps, {
        carrier: this.name,
        options: this.#config.smpp,
        lease,
        leasedAtMs,
        onDelivery,
        onChange,
      }),
    );
    await db.query(forgetBinds, [this.name, binds]);
  }

  /** Stored first, answered then. What cannot be stored rejects, and the carrier brings it again. */
  async #deliver(pdu: Delivery): Promise<number> {
    const sink = this.#sink;
    if (!sink) return STATUSES.ESME_RSYSERR.code;
    const { smpp } = this.#config;
    const receipt = readReceipt(pdu, { detectByText: smpp.detectsReceiptsByText });
    if (receipt) {
      const short = receipt.userMessageReference;
      const ourReference = short === null ? null : await this.#references.find(short);
      await sink.receipt(receiptOf(this.name, receipt, smpp, ourReference));
      return 0;
    }
    const text = inboundOf(this.name, pdu, smpp);
    if (typeof text === "string") {
      this.#deps.log.warn({ carrier: this.name, reason: text }, "a text from a phone was refused");
      return STATUSES.ESME_RX_R_APPN.code;
    }
    await sink.inbound(text);
    return 0;
  }
}

const NOT_SENT: SubmitOutcome = { kind: "refused", isTemporary: true, carrierCode: "not_sent" };
