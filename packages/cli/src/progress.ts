import type { Terminal } from "./terminal.ts";

const BAR_CHARS = 30;

/** Progress bar, redrawn in place; silent without a terminal. */
export function progressBar(terminal: Terminal, label: string, total: number) {
  const isDrawn = !terminal.json && process.stderr.isTTY === true;
  return {
    at(done: number): void {
      if (!isDrawn) return;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const filled = Math.round(share * BAR_CHARS);
      const bar = "█".repeat(filled) + "░".repeat(BAR_CHARS - filled);
      process.stderr.write(`\r${label} ${bar} ${done}/${total}`);
    },
    end(): void {
      if (isDrawn) process.stderr.write("\n");
    },
  };
}
