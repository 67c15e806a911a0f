import { type ReactNode, useEffect, useRef } from "react";
import { formatPhone } from "../../ui/format.ts";

export interface Bubble {
  readonly key: string;
  /** `own`: sent by the phone's owner; `theirs`: received on the phone. */
  readonly side: "own" | "theirs";
  readonly text: ReactNode;
  readonly meta?: ReactNode;
}

/** A drawn phone that always scrolls to the newest bubble. */
export function PhoneScreen(props: {
  title: string;
  about?: ReactNode;
  bubbles: readonly Bubble[];
  children?: ReactNode;
}) {
  const thread = useRef<HTMLDivElement>(null);
  const newest = props.bubbles.at(-1)?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new bubble triggers the scroll
  useEffect(() => {
    thread.current?.scrollTo({ top: thread.current.scrollHeight });
  }, [newest]);
  return (
    <div className="phone">
      <div className="phone-screen">
        <div className="phone-bar">
          <b>{formatPhone(props.title)}</b>
          <span className="muted">{props.about ?? "Text message"}</span>
        </div>
        <div className="phone-thread" ref={thread} role="log" aria-label="Texts" tabIndex={0}>
          {props.bubbles.map((bubble) => (
            <div key={bubble.key} style={{ display: "contents" }}>
              <div className="bubble" data-side={bubble.side}>
                {bubble.text}
              </div>
              {bubble.meta && (
                <div className="bubble-meta" data-side={bubble.side}>
                  {bubble.meta}
                </div>
              )}
            </div>
          ))}
        </div>
        {props.children}
      </div>
    </div>
  );
}
