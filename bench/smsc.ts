/** SMSC for benchmarks in a separate process: accepts everything and sends receipts. */
import { Smsc } from "@longwave/smpp/smsc";

const JOURNAL_ENTRIES_MAX = 1_000;

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const { port } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { port: number };
const smsc = await Smsc.start({
  port,
  password: "secret",
  journal: { entriesMax: JOURNAL_ENTRIES_MAX },
});
console.log(`ready ${smsc.port}`);
