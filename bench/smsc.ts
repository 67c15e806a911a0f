/** A message centre for the benchmarks, in a process of its own: it takes everything and sends receipts. */
import { Smsc } from "@longwave/smpp/smsc";

const JOURNAL_ENTRIES_MAX = 1_000;

const pieces: Buffer[] = [];
for await (const piece of process.stdin) pieces.push(piece as Buffer);
const { port } = JSON.parse(Buffer.concat(pieces).toString("utf8")) as { port: number };
const smsc = await Smsc.start({
  port,
  password: "secret",
  journal: { entriesMax: JOURNAL_ENTRIES_MAX },
});
console.log(`ready ${smsc.port}`);
