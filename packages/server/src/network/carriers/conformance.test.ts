import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testCarrier } from "../../../testing/carrier-conformance.ts";
import type { BroughtReceipt, CarrierPeer, PeerAnswer } from "../../../testing/carrier-stage.ts";
import { makeFolder } from "../../../testing/temporary-folder.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import type { OutboundMessage, SubmitOutcome } from "./carrier.ts";

const WINDOW = 4;
/** Longer than a submit takes, so that the window fills. */
const ANSWER_MS = 20;

let phones = 0;

function newPhone(): string {
  phones += 1;
  return `+1415555${String(3_000 + phones)}`;
}

testCarrier("simulator", async (lifetime): Promise<CarrierPeer> => {
  const { folder, remove } = await makeFolder();
  lifetime.after(remove);
  const file = join(folder, "carriers.json");
  const link = { name: "demo", type: "simulator", window: WINDOW };
  await writeFile(file, JSON.stringify({ carriers: [link] }));
  const known: Partial<Record<PeerAnswer, string>> = {
    busy_once: "+15005550002",
    always_busy: "+15005550003",
    refuse: "+15005550004",
  };
  return {
    env: { LONGWAVE_CARRIERS: file },
    link: link.name,
    window: WINDOW,
    phoneThatAnswers: (answer) => (answer === "accept" ? newPhone() : (known[answer] ?? null)),
    brings: null,
  };
});

testCarrier("test carrier", async (): Promise<CarrierPeer> => {
  const link = "test-link";
  const carriers = createTestCarrier(link);
  carriers.window = WINDOW;
  const answers = new Map<string, PeerAnswer>();
  const bring = async (storing: Promise<void>) => {
    return storing.then(
      () => true,
      () => false,
    );
  };
  const receiptFrom = (carrier: string, receipt: BroughtReceipt) =>
    bring(carriers.sink().receipt({ carrier, carrierCode: null, ...receipt }));
  const referenceOf = (phone: string) => `ref-${phone}`;

  const answerTo = async (text: OutboundMessage): Promise<SubmitOutcome> => {
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    const answer = answers.get(text.to) ?? "accept";
    const reference = referenceOf(text.to);
    if (answer === "no_answer") return { kind: "unknown" };
    if (answer === "refuse") {
      return { kind: "refused", isTemporary: false, carrierCode: "ESME_RINVDSTADR" };
    }
    if (answer === "always_busy" || (answer === "busy_once" && text.attempt === 1)) {
      return { kind: "refused", isTemporary: true, carrierCode: "ESME_RTHROTTLED" };
    }
    if (answer === "accept_after_receipt") {
      await receiptFrom(link, { reference, state: "delivered", raw: "early" });
    }
    return { kind: "accepted", references: [reference] };
  };
  carriers.answers = [answerTo];

  return {
    carriers,
    link,
    window: WINDOW,
    phoneThatAnswers(answer) {
      const phone = newPhone();
      answers.set(phone, answer);
      return phone;
    },
    brings: {
      referenceOf,
      echoesOurReference: true,
      receipt: (receipt) => receiptFrom(link, receipt),
      foreignReceipt: (receipt) => receiptFrom("other-link", receipt),
      inbound: (text) => bring(carriers.sink().inbound({ carrier: link, ...text })),
    },
  };
});
