import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { samplePdus } from "../testing/fuzz.ts";
import { Framer, PDU_OCTETS_MAX } from "./index.ts";

test("the same PDUs come out however the stream is split", () => {
  const pdus = samplePdus();
  const stream = Buffer.concat(pdus);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (sizes) => {
      const framer = new Framer();
      const seen: string[] = [];
      let at = 0;
      for (let i = 0; at < stream.length; i++) {
        const end = at + (sizes[i % sizes.length] as number);
        const lost = framer.push(stream.subarray(at, end), (frame) =>
          seen.push(frame.toString("hex")),
        );
        assert.equal(lost, null);
        at = end;
      }
      assert.deepEqual(
        seen,
        pdus.map((pdu) => pdu.toString("hex")),
      );
    }),
    { numRuns: 100 },
  );
});

test("an impossible length loses the framing, at once and permanently", () => {
  for (const length of [0, 1, 2, 4, 12, 15, PDU_OCTETS_MAX + 1, 0xffffffff]) {
    const head = Buffer.alloc(16);
    head.writeUInt32BE(length);
    for (const pieces of [[head], [head.subarray(0, 3), head.subarray(3)]]) {
      const framer = new Framer();
      const none = () => assert.fail("there is no PDU");
      const lost = pieces.map((piece) => framer.push(piece, none)).at(-1);
      assert.deepEqual(lost, { commandLength: length });
      assert.deepEqual(framer.push(samplePdus()[0] as Buffer, none), { commandLength: length });
    }
  }
});
