import type { PhoneNumber } from "@longwave/sdk";

/** Explains a number's sender state to its owner, with the next step. */
export function senderAdvice(number: PhoneNumber): string {
  if (number.mode === "test") {
    return "A test number: texts from it are simulated. There is nothing to do.";
  }
  switch (number.sender.state) {
    case "active":
      return "The carriers know this sender. Texts from it reach the public.";
    case "pending":
      return "A registration is under way. Until it is approved, texts reach your own verified phones only.";
    case "action_needed":
      return "The registration was rejected, suspended or has expired, or the link failed. The registration says what to do.";
    case "test_only":
      return "A live US number reaches the public once it is tied to an approved registration. Until then, texts reach your own verified phones only.";
  }
}

/**
 * The next step in a few words, with its actor if not the reader; null when nothing is left to do.
 */
export function nextStepOf(number: PhoneNumber): string | null {
  if (number.mode === "test" || number.status === "released") return null;
  switch (number.sender.state) {
    case "active":
      return null;
    case "pending":
      return "Wait for the review";
    case "action_needed":
      return "Read the registration";
    case "test_only":
      return "Link it to a registration";
  }
}
