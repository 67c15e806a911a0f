import type { Message } from "@longwave/sdk";
import type { ReactNode } from "react";
import { formatTook } from "../../ui/format.ts";
import { plainWords } from "../../ui/plain-words.ts";
import { Note } from "../../ui/problem.tsx";
import { Countdown, useNow } from "../../ui/values.tsx";

/** `Not delivered: landline`, from the title of a failure. */
export function notDelivered({ title }: { readonly title: string }): string {
  const words = plainWords(title);
  return `Not delivered: ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

/** The page's first line: whether the message arrived. */
export function Answer(props: { message: Message; about?: ReactNode }) {
  const { message, about } = props;
  const now = useNow();
  const { failure } = message;
  if (failure) {
    return (
      <Note tone="red">
        {about}
        <strong>{notDelivered(failure)}.</strong> {plainWords(failure.explanation)}{" "}
        {plainWords(failure.action)}
      </Note>
    );
  }
  if (message.status === "delivered" && message.delivered_at && message.sent_at) {
    const ms = Date.parse(message.delivered_at) - Date.parse(message.sent_at);
    return (
      <Note tone="green">
        {about}
        <strong>Delivered</strong> {formatTook(ms)} after it was sent.
      </Note>
    );
  }
  if (message.status === "queued") {
    return (
      <Note tone="amber">
        {about}
        <strong>Waiting.</strong>{" "}
        {message.next_attempt_at === null || Date.parse(message.next_attempt_at) < now ? (
          "It is about to be handed to the carrier."
        ) : (
          <>
            The next attempt comes <Countdown until={message.next_attempt_at} />.
          </>
        )}
      </Note>
    );
  }
  if (message.status === "received") return null;
  return (
    <Note tone="blue">
      {about}
      <strong>Sent.</strong> The carrier has it; no receipt has come yet.
    </Note>
  );
}
