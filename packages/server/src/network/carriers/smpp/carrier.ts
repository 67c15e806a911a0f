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
import type { BindDeps, LinkPlace } from "../binds/leased-binds.ts";
import { LeasedCarrier } from "../binds/leased-carrier.ts";
import { WAIT_STEP_MS, whyNot } from "../binds/patience.ts";
import { NOT_SENT, type OutboundText, type SubmitOutcome } from "../carrier.ts";
import type { SmppConfig } from "../config.ts";
import { Bind } from "./bind.ts";
import { inboundOf, partsOf, receiptOf, refusalOf, submitFields } from "./map.ts";
import { ShortReferences } from "./short-references.ts";

type Part =
  | { readonly outcome: Exclude<Outcome, { kind: "unknown" }> }
  | { readonly unknown: Extract<Outcome, { kind: "unknown" }> };

/** Stands for the carrier's code where a part has left and the rest of the text could not. */
const REST_NOT_SENT_CODE = "rest_not_sent";

/** A carrier that speaks SMPP. Its binds are spread over the processes; this one has those it owns. */
export class SmppCarrier extends LeasedCarrier<Bind> {
  readonly #config: SmppConfig;
  readonly #references: ShortReferences;
  #longTextReference = randomInt(0x10000);

  constructor(config: SmppConfig, deps: BindDeps, place: LinkPlace) {
    const { binds, ratePerSecond } = config.smpp;
    super(deps, { name: config.name, binds, ratePerSecond, ...place });
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
    text: OutboundText,
    end: () => void,
  ): Promise<SubmitOutcome> {
    this.#longTextReference = (this.#longTextReference + 1) & 0xffff;
    const parts = partsOf(text, this.#config.smpp, this.#longTextReference);
    const short = this.#references.take(parts.length, text.ourReference);
    let isOpen = false;
    try {
      const references: string[] = [];
      for (const [index, part] of parts.entries()) {
        const result = await this.#submitPart(bind, text, part, short[index] as number, index > 0);
        if ("unknown" in result) {
          isOpen = true;
          return await this.#unknown(result.unknown, short, text, parts.length, end);
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

  /** One part, until it is answered: busy carriers are waited for, and so is the rate. */
  async #submitPart(
    bind: Bind,
    text: OutboundText,
    part: TextPart,
    short: number,
    isLater: boolean,
  ): Promise<Part> {
    const { clock } = this.deps;
    const begunMs = clock.monotonic();
    const fields = submitFields(text, part);
    const tlvs = [tlv("user_message_reference", short), ...part.tlvs];
    for (;;) {
      const waitedMs = clock.monotonic() - begunMs;
      const reason = whyNot(this.binds, bind, waitedMs, isLater);
      if (reason) return { outcome: { kind: "not_sent", reason } };
      const { waitMs } = bind.client;
      if (waitMs > 0 || !bind.isUp) {
        await clock.sleep(Math.min(waitMs || WAIT_STEP_MS, WAIT_STEP_MS), this.binds.stopping);
        continue;
      }
      const outcome = await bind.client.submit(fields, tlvs);
      if (outcome.kind === "unknown") return { unknown: outcome };
      // What has provably not left is offered again, as what the carrier was too busy for.
      if (outcome.kind === "not_sent") await clock.sleep(WAIT_STEP_MS, this.binds.stopping);
      else if (!this.#isBusy(outcome)) return { outcome };
    }
  }

  #isBusy(answer: Answered): boolean {
    if (answer.command === "generic_nack") return false;
    return statusKind(answer.status, this.#config.smpp.statusKinds) === "slow_down";
  }

  /** A text of which a part has left is never sent again as a whole. */
  #refused(outcome: Exclude<Outcome, { kind: "unknown" }>, isPartSent: boolean): SubmitOutcome {
    const refusal = outcome.kind === "answered" ? refusalOf(outcome, this.#config.smpp) : NOT_SENT;
    if (!isPartSent || (refusal.kind === "refused" && !refusal.isTemporary)) return refusal;
    const carrierCode = refusal.kind === "refused" ? refusal.carrierCode : REST_NOT_SENT_CODE;
    return { kind: "refused", isTemporary: false, carrierCode, failure: "carrier_unavailable" };
  }

  /** Nobody knows whether it left. A receipt that echoes our reference tells, or a late answer. */
  async #unknown(
    outcome: Extract<Outcome, { kind: "unknown" }>,
    short: readonly number[],
    text: OutboundText,
    parts: number,
    end: () => void,
  ): Promise<SubmitOutcome> {
    const late = outcome.late.then((answer): SubmitOutcome | null => {
      end();
      // Of a longer text the rest was never sent: the answer to one part settles nothing.
      if (answer === null || parts > 1) return null;
      if (answer.status !== 0) return this.#refused(answer, false);
      return {
        kind: "accepted",
        references: [canonicalId(answer.messageId, this.#config.smpp.receiptId, "response")],
      };
    });
    // A receipt of one part says nothing of those that were never sent: only a whole text is named.
    if (parts > 1) this.#references.release(short);
    else await this.#references.keep(short, text.ourReference);
    return { kind: "unknown", late };
  }

  /** Stored first, answered then. What cannot be stored rejects, and the carrier brings it again. */
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
    const text = inboundOf(this.name, pdu, smpp);
    if (typeof text === "string") {
      this.deps.log.warn({ carrier: this.name, reason: text }, "a text from a phone was refused");
      return STATUSES.ESME_RX_R_APPN.code;
    }
    await sink.inbound(text);
    return 0;
  }
}
