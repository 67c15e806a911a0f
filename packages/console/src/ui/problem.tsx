import { ApiError, ConnectionError } from "@longwave/sdk";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { Icon } from "./icons.tsx";
import type { Tone } from "./looks.ts";
import { plainWords } from "./plain-words.ts";

/** One or two sentences about the error, from the server or the browser. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return plainWords(error.message);
  if (error instanceof ConnectionError)
    return "The server cannot be reached. Check the connection and try again.";
  return error instanceof Error ? error.message : String(error);
}

/**
 * Error with the server's message, a link to its documentation, and a retry. A plain one, for people
 * who are signed out, has neither code nor request id.
 */
export function ErrorBox(props: { error: unknown; plain?: boolean; onRetry?: () => void }) {
  const { error, onRetry } = props;
  const api = error instanceof ApiError && props.plain !== true ? error : null;
  return (
    <div className="note" data-tone="red" role="alert">
      <Icon name="alert" />
      <div className="grow stack-tight">
        <span>{messageOf(error)}</span>
        {api && (
          <span className="row meta">
            {api.code === "unknown" ? <code>{api.code}</code> : <ErrorCodeLink code={api.code} />}
            {api.requestId !== null && <Copy text={api.requestId} />}
          </span>
        )}
      </div>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** An error code, linked to its documentation. */
export function ErrorCodeLink(props: { code: string }) {
  return (
    <a href={`/docs/errors/${props.code}`} target="_blank" rel="noreferrer">
      <code>{props.code}</code>
    </a>
  );
}

export function Note(props: { tone: Tone; children: ReactNode }) {
  const icon = props.tone === "red" || props.tone === "amber" ? "alert" : "info";
  return (
    <div className="note" data-tone={props.tone}>
      <Icon name={icon} />
      <div className="grow">{props.children}</div>
    </div>
  );
}
