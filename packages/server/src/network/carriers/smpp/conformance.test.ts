import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { STATUSES, tlv } from "@longwave/smpp";
import {
  ACCEPTED,
  type Behaviour,
  DELIVERED,
  type ReceivedSubmit,
  Smsc,
} from "@longwave/smpp/smsc";
import { testCarrier } from "../../../../testing/carrier-conformance.ts";
import type { BroughtReceipt, CarrierPeer, PeerAnswer } from "../../../../testing/carrier-stage.ts";
import { makeFolder } from "../../../../testing/temporary-folder.ts";

const WINDOW = 4;
/** Longer than a submit takes, so that the window fills. */
const ANSWER_MS = 20;
/** Time after which any answer has arrived, also on a busy machine. */
const ANSWER_SECONDS = 2;
const LINK = "wire";
const OTHER_LINK = "other-wire";

const TAKEN: Behaviour = { ...ACCEPTED, answerDelayMs: ANSWER_MS, receipt: null };
const refuse = (status: number): Behaviour => ({ ...TAKEN, answer: "refuse", status });
const STATES = { delivered: 2, failed: 5, intermediate: 1 };

function behaviourOf(answer: PeerAnswer, { earlier }: ReceivedSubmit): Behaviour {
  const busy = refuse(STATUSES.ESME_RSYSERR.code);
  if (answer === "refuse") return refuse(STATUSES.ESME_RINVDSTADR.code);
  if (answer === "always_busy") return busy;
  if (answer === "busy_once") return earlier === 0 ? busy : TAKEN;
  if (answer === "no_answer") return { ...TAKEN, answer: "none" };
  if (answer === "accept_after_receipt") {
    return { ...TAKEN, receipt: { ...DELIVERED, isBeforeAnswer: true, echoesReference: false } };
  }
  return TAKEN;
}

testCarrier("smpp", async (lifetime): Promise<CarrierPeer> => {
  const answers = new Map<string, PeerAnswer>();
  const behave = (submit: ReceivedSubmit) =>
    behaviourOf(answers.get(`+${submit.pdu.fields.destination_addr}`) ?? "accept", submit);
  const smsc = await Smsc.start({ behave, password: "secret" });
  const otherSmsc = await Smsc.start({ password: "secret" });
  lifetime.after(async () => {
    await smsc.stop();
    await otherSmsc.stop();
  });
  const { folder, remove } = await makeFolder();
  lifetime.after(remove);
  const file = join(folder, "carriers.json");
  const entry = (name: string, port: number) => ({
    name,
    type: "smpp",
    host: "127.0.0.1",
    port,
    system_id: "us",
    password: "secret",
    window: WINDOW,
    answer_seconds: ANSWER_SECONDS,
  });
  const carriers = [
    entry(LINK, smsc.port),
    { ...entry(OTHER_LINK, otherSmsc.port), priority: 20, numbers: ["+12025550199"] },
  ];
  await writeFile(file, JSON.stringify({ carriers }));
  let phones = 0;

  /** Sent once: the test checks whether the carrier took it. */
  const bring = (from: Smsc, fields: object, tlvs: ReturnType<typeof tlv>[]) =>
    new Promise<boolean>((resolve) => {
      const [peer] = from.connections("us");
      assert.ok(peer, "the server is bound");
      peer.deliver({ fields, tlvs }, (status) => resolve(status === 0));
    });
  /**
   * The wire has 16 bits for our reference: the value that the unanswered submit of the attempt
   * carried.
   */
  const shortOf = (ourReference: string) => {
    const lost = smsc.journal.taken().findLast((taken) => taken.status === null);
    const short = lost?.userMessageReference ?? 0;
    return ourReference.endsWith("-1") ? short : (short + 1) & 0xffff;
  };
  const bringReceipt = (from: Smsc, { reference, state, raw, ourReference }: BroughtReceipt) =>
    bring(from, { esm_class: 4, short_message: Buffer.from(raw) }, [
      tlv("receipted_message_id", reference ?? ""),
      tlv("message_state", STATES[state]),
      ...(ourReference ? [tlv("user_message_reference", shortOf(ourReference))] : []),
    ]);

  return {
    env: { LONGWAVE_CARRIERS: file },
    link: LINK,
    window: WINDOW,
    phoneThatAnswers(answer) {
      phones += 1;
      const phone = `+1415555${4_000 + phones}`;
      answers.set(phone, answer);
      return phone;
    },
    brings: {
      echoesOurReference: true,
      referenceOf(phone) {
        const entry = smsc.journal.taken().findLast((taken) => `+${taken.to}` === phone);
        assert.ok(entry?.messageId, "the SMSC took it");
        return entry.messageId;
      },
      receipt: (receipt) => bringReceipt(smsc, receipt),
      foreignReceipt: (receipt) => bringReceipt(otherSmsc, receipt),
      inbound: ({ reference, from, to, body }) =>
        bring(
          smsc,
          {
            source_addr: from.slice(1),
            destination_addr: to.slice(1),
            short_message: Buffer.from(body),
          },
          [tlv("receipted_message_id", reference)],
        ),
    },
  };
});
