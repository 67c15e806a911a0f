import type { MessageTimeline } from "@longwave/sdk";
import { quoted } from "./event-line.ts";
import { timeText, visible } from "./print.ts";
import type { Session } from "./session.ts";
import { styled } from "./terminal.ts";

const STEP_CHARS = 16;

/** Prints a message's timeline: the message in one line, then one line per entry. */
export async function printTimeline(
  { client, terminal }: Session,
  { message_id, status, entries }: MessageTimeline,
): Promise<void> {
  const { from, to, body } = await client.messages.get(message_id);
  terminal.out(`${from} → ${to}  ${quoted(body)}  ${styled(terminal, "bold", status)}`);
  for (const { at, step, description } of entries) {
    const time = styled(terminal, "dim", timeText(at));
    terminal.out(
      `${time}  ${styled(terminal, "cyan", step.padEnd(STEP_CHARS))}  ${visible(description)}`,
    );
  }
}
