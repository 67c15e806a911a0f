import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SOURCES = fileURLToPath(new URL("../src", import.meta.url));

/** Phrases that the console no longer uses, with the wording in their place. */
// biome-ignore format: one phrase per line, read as a table
const REPLACED: readonly (readonly [old: string, wording: string])[] = [
  ["Hear of every event",              "Get every event"],
  ["Call with a key",                  "Make your first API call"],
  ["Be the person at the other end",   "Play the recipient"],
  ["did not take",                     "failed"],
  ["Statuses change as receipts",      "All messages, newest first"],
  ["Waits for a reply",                "Needs reply"],
  ["could not take it for now",        "returned a temporary error"],
  ["Delivered for real",               "Live"],
  ["Retry what can succeed",           "Retry failed"],
  ["Check it",                         "Review"],
  ["Write the message",                "Next: message"],
  ["Left out",                         "Skipped"],
  ["Rows left out",                    "Skipped rows"],
  ["Leave out",                        "Skip"],
  ["to be had",                        "No numbers found"],
  ["There is no such page",            "Page not found"],
  ["Going on with",                    "Resumed"],
  ["cannot be taken back",             "can't be undone"],
  ["Start it",                         "Turn on"],
  ["Tell my webhooks",                 "Emit event"],
  ["End here",                         "Stop"],
  ["as nothing is asked",              "no conditions"],
  ["of these hold",                    "Match all"],
  ["None of these holds",              "Match none"],
  ["levels deep",                      "levels"],
  ["Welcome who signs up",             "Welcome new sign-ups"],
  ["Try it out",                       "Preview"],
  ["Change the contact",               "Edit contact"],
  ["Your own id of them",              "External ID"],
  ["Whom you send for",                "Businesses you send on behalf of"],
  ["Who has not chosen",               "Default"],
  ["Does not get it",                  "Unsubscribed"],
  ["Record a choice",                  "Set subscription"],
  ["Understood as",                    "Matched keyword"],
  ["Holds for",                        "Scope"],
  ["all is well",                      "Passed"],
  ["to mend",                          "issues"],
  ["Nothing that would count",         "(leave out)"],
  ["What was given",                   "Details"],
  ["As it is filed",                   "Submission"],
  ["Copy to paste",                    "Ready-made text"],
  ["Organisation",                     "Organization"],
  ["Neighbouring",                     "Neighboring"],
  ["honoured",                         "honored"],
  ["No rule objected",                 "Allowed"],
  ["nobody enters",                    "Unused codes"],
  ["somebody pumps",                   "suspected SMS pumping"],
  ["whose end is known",               "of completed"],
  ["that a carrier took",              "accepted by carriers"],
  ["nothing heard yet",                "awaiting receipt"],
  ["A month of a number",              "Number rental"],
  ["Digits in a row",                  "Contains"],
  ["The stock is empty",               "No inventory"],
  ["Day is set",                       "Scheduled"],
  ["Moves on",                         "Port date"],
  ["Why not",                          "Reason"],
  ["To get a day",                     "Needs date"],
  ["Bring numbers over",               "Port numbers in"],
  ["before you have seen what",        "Review everything before anything is created"],
  ["Carry it out",                     "Run import"],
  ["Any answer",                       "Any status"],
  ["Taken (2xx)",                      "Success"],
  ["Refused (4xx)",                    "Client error"],
  ["Never what was in it",             "Bodies are not stored"],
  ["took at most",                     "p95"],
  ["What your programs call with",     "Keys for calling the API"],
  ["May do",                           "Permissions"],
  ["I have saved it",                  "Done"],
  ["Give them this link",              "Share this link"],
  ["Make the invitation",              "Create invite"],
  ["Second factor\"",                  "2FA"],
  ["is for the role",                  "You need the … role to see …"],
  ["Tell me at",                       "Alert thresholds (%)"],
  ["The month starts again",           "Resets"],
  ["How texts leave",                  "Sending"],
  ["Phones of your own people",        "Verified test phones"],
  ["Opt-outs in other words",          "Opt-outs in free text"],
  ["Present password",                 "Current password"],
  ["How it looks",                     "Appearance"],
  ["Roomy rows",                       "Comfortable"],
  ["Dense rows",                       "Compact"],
  ["none waits",                       "None"],
  ["the oldest since",                 "oldest"],
  ["Due work",                         "Background jobs"],
  ["Nothing that is due waits",        "On schedule"],
  ["Read again every",                 "Updates every"],
  ["There is no such account for you", "You don't have access to this account"],
  ["Make a new one of",                "Create"],
  ["hoever",                           "a noun: someone, the person who"],
  ["no number we can text",            "invalid number"],
  ["Would be made",                    "Will be added"],
  ["Ask for live access",              "Request access"],
  ["Ask again",                        "Request access again"],
  ["everything goes on where it was",  "Your work is saved"],
  ["and it goes on",                   "(leave out)"],
  ["Is it you?",                       "Confirm your password"],
  ["Look into your mail",         "Check your mail"],
  ["look into",                        "You are viewing"],
  ["stands here",                      "appears here"],
  ["stand here",                       "appear here"],
  ["fits\"",                           "match"],
  ["reason is mended",                 "Correct the reason"],
  ["Not said",                         "Not specified"],
  ["digits themselves",                "Numbering plan"],
  ["on a guess",                       "not sent again"],
  ["Sender state\"",                   "Carrier status"],
];

/** Sources outside of the console whose sentences its readers see, too. */
const ELSEWHERE = [
  "contract/src/failures.ts",
  "contract/src/errors.ts",
  "server/src/messaging/messages/timeline.ts",
  "server/src/messaging/messages/timeline-attempts.ts",
  "server/src/network/registrations/guidance.ts",
  "server/src/network/numbers/sender-state.ts",
  "server/src/surfaces/console/mail-templates.ts",
];

/** Openers of a label, a title or a help that hide its noun. */
const OPENERS = /(?:["`>]|^\s+)(?:What|Who|Whose|Whom|Where|Somebody)\b(?! (?:it|this) )[^"`<]*/gm;

/** Sources of the console, without the comments, which its readers never see. */
async function readSources(): Promise<(readonly [file: string, source: string])[]> {
  const files = (await readdir(SOURCES, { recursive: true })).filter((file) =>
    /\.tsx?$/.test(file),
  );
  assert.ok(files.length > 100);
  const elsewhere = ELSEWHERE.map((file) => join("../..", file));
  return Promise.all(
    [...files, ...elsewhere].map(async (file) => {
      const source = await readFile(join(SOURCES, file), "utf8");
      return [file, source.replaceAll(/^\s*(?:\*|\/\*|\/\/).*$/gm, "")] as const;
    }),
  );
}

test("the console uses none of the replaced phrases, in American spelling", async () => {
  const found: string[] = [];
  for (const [file, source] of await readSources()) {
    for (const [old, wording] of REPLACED) {
      if (source.includes(old)) found.push(`${file}: “${old}” is now “${wording}”`);
    }
  }
  assert.deepEqual(found, []);
});

test("a label, a title and a help begin with their noun", async () => {
  const found: string[] = [];
  for (const [file, source] of await readSources()) {
    if (/\.test\.tsx?$/.test(file)) continue;
    for (const [opener] of source.matchAll(OPENERS)) found.push(`${file}: ${opener.trim()}`);
  }
  assert.deepEqual(found, []);
});

test("a dialog that cancels something keeps it by a button of another word", async () => {
  const cancels: string[] = [];
  const unclear: string[] = [];
  for (const [file, source] of await readSources()) {
    for (const [tag] of source.matchAll(/<(?:Confirm|FormDialog)\n[\s\S]*?\n\s*>/g)) {
      if (!/\b(?:action|submit)=(?:"|\{[^\n]*["`])Cancel/.test(tag)) continue;
      cancels.push(file);
      if (!/\bdismiss="(?!Cancel)/.test(tag)) unclear.push(file);
    }
  }
  assert.ok(cancels.length >= 4, cancels.join());
  assert.deepEqual(unclear, []);
});
