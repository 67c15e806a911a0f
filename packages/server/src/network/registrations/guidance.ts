import { type Registration, registrationCodeSpec } from "@longwave/contract";
import { filedSamples, subjectOf } from "./copy.ts";
import type { RegistrationRow } from "./registration-row.ts";
import { checkSamples } from "./rules/check.ts";
import { missingTollFreeFields } from "./toll-free.ts";

type Guidance = Registration["guidance"];

/** Guidance on a registration: its state and the next step, as sentences for people. */
export function guidanceOf(row: RegistrationRow): Guidance {
  return GUIDANCE[row.status](row);
}

const CHECK = {
  next_step: "Call recheck when the website and the examples are ready.",
  after: "The website and the examples are checked, and the findings are listed here.",
} as const;
const CLAIM = {
  next_step: "Submit it: its campaign is approved elsewhere, so that no check is needed.",
  after: "The operator compares it with the campaign and approves it.",
} as const;

const GUIDANCE: Readonly<Record<RegistrationRow["status"], (row: RegistrationRow) => Guidance>> = {
  draft: ({ given }) => ({
    what_happened: "The registration is saved and was not checked yet.",
    why: "It was created as a draft.",
    ...(given.campaign_id ? CLAIM : CHECK),
    next_actor: "you",
  }),
  checks_failed: (row) => ({
    what_happened: "The check found something that carriers would reject.",
    why: whyNotReady(row),
    next_step: nextStep(row),
    after: "When nothing fails any more, the registration is ready to be submitted.",
    next_actor: "you",
  }),
  ready: () => ({
    what_happened: "The website and the examples pass the check.",
    why: "No finding fails, and the examples are your own.",
    next_step: "Submit the registration.",
    after: "The operator reviews it, then the carriers, which takes one to five business days.",
    next_actor: "you",
  }),
  submitted: () => ({
    what_happened: "The registration was submitted.",
    why: "It waits for the operator's review before it goes to the carriers.",
    next_step: "Nothing: wait for the decision.",
    after: "It goes to the carriers, or comes back with a reason.",
    next_actor: "delivered",
  }),
  in_review: () => ({
    what_happened: "The registration is with the carriers.",
    why: "Each carrier decides for itself.",
    next_step: "Nothing: wait for the decision.",
    after: "When it is approved, the numbers that follow it can text the public.",
    next_actor: "carriers",
  }),
  approved: () => ({
    what_happened: "The carriers accept the registration.",
    why: "The review is over.",
    next_step: "Send.",
    after: "Numbers that follow it can text the public.",
    next_actor: "nobody",
  }),
  suspended: () => ({
    what_happened: "The carriers suspended the registration.",
    why: registrationCodeSpec("carrier.suspended").explanation,
    next_step: registrationCodeSpec("carrier.suspended").fix,
    after: "Its numbers send again once it is reinstated.",
    next_actor: "you",
  }),
  expired: () => ({
    what_happened: "The registration has expired with the carriers.",
    why: registrationCodeSpec("carrier.expired").explanation,
    next_step: registrationCodeSpec("carrier.expired").fix,
    after: "Its numbers send again once it is renewed, or approved again.",
    next_actor: "delivered",
  }),
  rejected: (row) => {
    const spec = registrationCodeSpec(row.rejection?.code ?? "carrier.rejected");
    return {
      what_happened: `The registration was rejected: ${spec.title}.`,
      why: spec.explanation,
      next_step: `${spec.fix} Then call recheck.`,
      after: "When the check passes, it can be submitted again.",
      next_actor: "you",
    };
  },
};

function whyNotReady(row: RegistrationRow): string {
  const website = row.website_check?.failed ?? 0;
  const samples = checkSamples(filedSamples(row), subjectOf(row)).failed;
  const missing = missingTollFreeFields(row);
  const reasons = [
    ...(website > 0 ? [`${findings(website)} on the website`] : []),
    ...(samples > 0 ? [`${findings(samples)} on the examples`] : []),
    ...(row.given.sample_messages === null ? ["examples that are still the service's drafts"] : []),
    ...(missing.length > 0 ? [`no values for ${missing.join(", ")}`] : []),
  ];
  return `There ${website + samples === 1 ? "is" : "are"} ${reasons.join(", and ")}.`;
}

function findings(count: number): string {
  return `${count} failing finding${count === 1 ? "" : "s"}`;
}

function nextStep(row: RegistrationRow): string {
  const first = row.website_check?.findings.find(({ level }) => level === "fail");
  if (first?.fix) return `${first.fix} Then call recheck.`;
  const missing = missingTollFreeFields(row);
  if (missing.length > 0) return `Send ${missing.join(", ")} with recheck.`;
  if (row.given.sample_messages === null) {
    return "Send your own examples as sample_messages, or samples_confirmed: true to take the drafts, with recheck.";
  }
  return "Correct the examples and call recheck.";
}
