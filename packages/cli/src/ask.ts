import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** Prompts on the terminal. Hides secret input. */
export async function ask(question: string, options: { secret?: boolean } = {}): Promise<string> {
  let isMuted = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isMuted) process.stderr.write(chunk);
      done();
    },
  });
  const reader = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY });
  try {
    const answer = reader.question(question);
    isMuted = options.secret === true;
    return (await answer).trim();
  } finally {
    reader.close();
    if (options.secret) process.stderr.write("\n");
  }
}

export async function confirm(question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test(await ask(`${question} [y/N] `));
}
