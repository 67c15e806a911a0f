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
import type { BindLease } from "../binds/lease.ts";
import type { BindDeps, BindOwnership } from "../binds/leased-binds.ts";
import { LeasedCarrier } from "../binds/leased-carrier.ts";
import { notSentReason, WAIT_STEP_MS } from "../binds/submit-deadline.ts";
import { NOT_SENT, type OutboundMessage, type SubmitOutcome } from "../carrier.ts";
import type { SmppConfig } from "../config.ts";
import { EXPIRED, isExpired, laterPartsMsMax, validitySecondsOf } from "../validity.ts";
import { Bind } from "./bind.ts";
import { inboundOf, partsOf, receiptOf, refusalOf, submitFields } from "./map.ts";
import { ShortReferences } from "./short-references.ts";

type Part =
  | { readonly outcome: Exclude<Outcome, { kind: "unknown" }> }
  | { readonly expired: true }
  | { readonly unknown: Extract<Outcome, { kind: "unknown" }> };

/** Carrier code of a message whose first part left and whose rest could not. */
const REST_NOT_SENT_CODE = "rest_not_sent";
/** Time for which a carrier that throttles gets no message that another carrier can take. */
const THROTTLED_MS = 5_000;
const REFUSED_PART_PAUSE_MS_MIN = 1_000;
const REFUSED_PART_PAUSE_MS_MAX = 15_000;

/** SMPP carrier. Leases spread its binds over the processes. */
export class SmppCarrier extends LeasedCarrier<Bind> {
  readonly #config: SmppConfig;
  readonly #references: ShortReferences;
  #longMessageReference = randomInt(0x10000);

  constructor(config: SmppConfig, deps: BindDeps, ownership: BindOwnership) {
    const { binds, ratePerSecond } = config.smpp;
    super(deps, { name: config.name, binds, ratePerSecond, ...ownership });
    this.#config = config;
    this.#references = new ShortReferences(deps, config.name);
  }

  protected open(lease: BindLease): Bind {
    return new Bind(this.deps, {
      options: this.#config.smpp,
      lease,
      onDelivery: (pdu) => this.#deliver(pdu),
      onChange: () => this.binds.changed(),
    });
  }

  protected override async prepare(): Promise<void> {
    await this.#references.recover((await this.sink?.unanswered(this.name)) ?? []);
  }

  protected override refresh(): Promise<void> {
    return this.#references.forgetOld();
  }

  protected async submitOn(
    bind: Bind,
    message: OutboundMessage,
    end: () => void,
  ): Promise<SubmitOutcome> {
    this.#longMessageReference = (this.#longMessageReference + 1) & 0xffff;
    const parts = partsOf(message, this.#config.smpp, this.#longMessageReference);
    const short = this.#references.take(parts.length, message.ourReference);
    const { clock } = this.deps;
    const endMs = clock.monotonic() + laterPartsMsMax(message, clock.now());
    let isOpen = false;
    try {
      const references: string[] = [];
      for (const [index, part] of parts.entries()) {
        const reference = short[index] as number;
        const result =
          index === 0
            ? await this.#submitPart(bind, message, part, { reference, endMs: null })
            : await this.#submitLaterPart(bind, message, part, { reference, endMs });
        if ("unknown" in result) {
          isOpen = true;
          return await this.#unknown(result.unknown, short, message, parts.length, end);
        }
        if ("expired" in result) {
          this.#references.release(short);
          return EXPIRED;
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
      if (!isOpen) end();
    }
  }

  /**
   * Submits a part after the first, again while the carrier refuses it for now and the message is valid: parts before it
   * have left, and only this part, under its reference, completes the message.
   */
  async #submitLaterPart(
    bind: Bind,
    message: OutboundMessage,
    part: TextPart,
    later: { readonly reference: number; readonly endMs: number },
  ): Promise<Part> {
    const { clock } = this.deps;
    let pauseMs = REFUSED_PART_PAUSE_MS_MIN;
    for (;;) {
      const result = await this.#submitPart(bind, message, part, later);
      if (!("outcome" in result) || !this.#isRefusedForNow(result.outcome)) return result;
      const isOver = clock.monotonic() + pauseMs > later.endMs || isExpired(message, clock.now());
      if (isOver || this.binds.stopping.aborted || !bind.isUp) return result;
      await clock.sleep(pauseMs, this.binds.stopping);
      pauseMs = Math.min(REFUSED_PART_PAUSE_MS_MAX, pauseMs * 2);
    }
  }

  #isRefusedForNow(outcome: Exclude<Outcome, { kind: "unknown" }>): boolean {
    if (outcome.kind !== "answered" || outcome.status === 0) return false;
    const refusal = refusalOf(outcome, this.#config.smpp);
    return refusal.kind === "refused" && refusal.isTemporary;
  }

  /**
   * Submits one part until answered. Waits for a busy carrier and for the rate limit; a part after the first until
   * `endMs`.
   */
  async #submitPart(
    bind: Bind,
    message: OutboundMessage,
    part: TextPart,
    { reference, endMs }: { readonly reference: number; readonly endMs: number | null },
  ): Promise<Part> {
    const { clock } = this.deps;
    const begunMs = clock.monotonic();
    const tlvs = [tlv("user_message_reference", reference), ...part.tlvs];
    for (;;) {
      const stopped = this.#stopReason(bind, message, begunMs, endMs);
      if (stopped) return stopped;
      const { waitMs } = bind.client;
      if (waitMs > 0 || !bind.isUp) {
        await clock.sleep(Math.min(waitMs || WAIT_STEP_MS, WAIT_STEP_MS), this.binds.stopping);
        continue;
      }
      const fields = submitFields(message, part, validitySecondsOf(message, clock.now()));
      const outcome = await bind.client.submit(fields, tlvs);
      if (outcome.kind === "unknown") return { unknown: outcome };
      // A part that provably has not left is offered again, like one the carrier was too busy for.
      if (outcome.kind === "not_sent") await clock.sleep(WAIT_STEP_MS, this.binds.stopping);
      else if (!this.#isBusy(outcome)) return { outcome };
      else this.binds.throttled(THROTTLED_MS);
    }
  }

  /** Reason to stop submitting a part; null while it may still be submitted. */
  #stopReason(
    bind: Bind,
    message: OutboundMessage,
    begunMs: number,
    endMs: number | null,
  ): Part | null {
    const isLater = endMs !== null;
    const waitedMs = this.deps.clock.monotonic() - begunMs;
    // Later parts always follow the first: half a message is useless to the recipient.
    if (!isLater && isExpired(message, this.deps.clock.now())) return { expired: true };
    const mayYield = !isLater && this.binds.shouldYield(message);
    const reason = mayYield
      ? "Another carrier is free."
      : notSentReason(this.binds, bind, waitedMs, isLater ? endMs - begunMs : null);
    return reason ? { outcome: { kind: "not_sent", reason } } : null;
  }

  #isBusy(answer: Answered): boolean {
    if (answer.command === "generic_nack") return false;
    return statusKind(answer.status, this.#config.smpp.statusKinds) === "slow_down";
  }

  /** A partly sent message is never sent again as a whole. */
  #refused(outcome: Exclude<Outcome, { kind: "unknown" }>, isPartSent: boolean): SubmitOutcome {
    const refusal = outcome.kind === "answered" ? refusalOf(outcome, this.#config.smpp) : NOT_SENT;
    if (!isPartSent || (refusal.kind === "refused" && !refusal.isTemporary)) return refusal;
    const carrierCode = refusal.kind === "refused" ? refusal.carrierCode : REST_NOT_SENT_CODE;
    return { kind: "refused", isTemporary: false, carrierCode, failure: "carrier_unavailable" };
  }

  /** The outcome is unknown. A receipt that echoes our reference settles it, or a late answer. */
  async #unknown(
    outcome: Extract<Outcome, { kind: "unknown" }>,
    short: readonly number[],
    message: OutboundMessage,
    parts: number,
    end: () => void,
  ): Promise<SubmitOutcome> {
    const late = outcome.late.then((answer): SubmitOutcome | null => {
      end();
      // The rest of a long message was never sent, so the answer to one part settles nothing.
      if (answer === null || parts > 1) return null;
      if (answer.status !== 0) return this.#refused(answer, false);
      return {
        kind: "accepted",
        references: [canonicalId(answer.messageId, this.#config.smpp.receiptId, "response")],
      };
    });
    // A receipt of one part says nothing about unsent parts, so only one-part messages keep their
    // reference.
    if (parts > 1) this.#references.release(short);
    else await this.#references.storeLost(short, message.ourReference);
    return { kind: "unknown", late };
  }

  /**
   * Stores before acknowledging. A storage failure rejects, and the carrier repeats the delivery.
   */
  async #deliver(pdu: Delivery): Promise<number> {
    const sink = this.sink;
    if (!sink) return STATUSES.ESME_RSYSERR.code;
    const { smpp } = this.#config;
    const receipt = readReceipt(pdu, { detectByText: smpp.detectsReceiptsByText });
    if (receipt) {
      const short = receipt.userMessageReference;
      const ourReference = short === null ? null : this.#references.find(short);
      await sink.receipt(receiptOf(this.name, pdu, receipt, smpp, ourReference));
      return 0;
    }
    const message = inboundOf(this.name, pdu, smpp, this.deps.config);
    if (typeof message === "string") {
      this.deps.log.warn({ carrier: this.name, reason: message }, "smpp: inbound message refused");
      return STATUSES.ESME_RX_R_APPN.code;
    }
    await sink.inbound(message);
    return 0;
  }
}
