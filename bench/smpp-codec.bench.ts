import { decodePdu, encodePdu, textParts, tlv } from "@longwave/smpp";
import { npmSmpp } from "../packages/smpp/testing/npm-smpp.ts";
import { type Contender, defineBench } from "./define.ts";

const PDUS_PER_CLOCK_READ = 500;

const text = "Your code is 493021. It is valid for ten minutes. Do not share it with anybody.";
const [part] = textParts(text, {
  alphabet: "gsm7",
  isPacked: false,
  longText: "udh",
  reference: 1,
});
const fields = {
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: "14155550100",
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: "14155552671",
  registered_delivery: 1,
  ...part?.fields,
};
const tlvs = [tlv("user_message_reference", 77)];
const octets = encodePdu({ command: "submit_sm", sequence: 1, fields, tlvs });

/** Measures how often an operation runs in a round. */
function repeated(name: string, measureMs: number, once: (index: number) => unknown): Contender {
  return {
    name,
    async measure() {
      const startedMs = performance.now();
      let done = 0;
      while (performance.now() - startedMs < measureMs) {
        for (let i = 0; i < PDUS_PER_CLOCK_READ; i++) once(i + 1);
        done += PDUS_PER_CLOCK_READ;
      }
      return { perSecond: done / ((performance.now() - startedMs) / 1_000), errors: 0 };
    },
  };
}

/** Encoding and decoding a submit_sm, against the npm library `smpp`. */
export const bench = defineBench({
  title: "The SMPP codec",
  async rows({ measureMs }) {
    return [
      {
        ours: repeated("encode submit_sm", measureMs, (sequence) =>
          encodePdu({ command: "submit_sm", sequence, fields, tlvs }),
        ),
        other: repeated("npm smpp, same octets", measureMs, (sequence) =>
          new npmSmpp.PDU("submit_sm", {
            sequence_number: sequence,
            ...fields,
            user_message_reference: 77,
          }).toBuffer(),
        ),
        floor: 1.5,
      },
      {
        ours: repeated("decode submit_sm", measureMs, () => decodePdu(octets)),
        other: repeated("npm smpp, same octets", measureMs, () => npmSmpp.PDU.fromBuffer(octets)),
        floor: 1.5,
      },
    ];
  },
});
