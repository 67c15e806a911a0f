import { type ReactNode, useState } from "react";
import { Copy } from "./copy.tsx";

export interface Sample {
  readonly title: string;
  readonly text: string;
}

/** One call in several languages, as tabs. */
export function Code(props: { samples: readonly Sample[] }) {
  const [at, setAt] = useState(0);
  const shown = props.samples[at] ?? props.samples[0];
  if (!shown) return null;
  return (
    <div className="code">
      <div className="code-head">
        <div role="tablist" aria-label="Language">
          {props.samples.map((sample, index) => (
            <button
              key={sample.title}
              type="button"
              role="tab"
              className="code-tab"
              aria-selected={sample === shown}
              onClick={() => setAt(index)}
            >
              {sample.title}
            </button>
          ))}
        </div>
        <Copy text={shown.text} label={shown.title}>
          <span className="meta">Copy</span>
        </Copy>
      </div>
      <CodeText text={shown.text} />
    </div>
  );
}

/** A scrolling box must be focusable by keyboard. */
function CodeText(props: { text: string }) {
  return <pre tabIndex={0}>{props.text}</pre>;
}

/** JSON with syntax colours. React escapes the text: nothing here becomes markup. */
export function Json(props: { value: unknown; title?: string }) {
  const text = JSON.stringify(props.value, null, 2);
  return (
    <div className="code">
      <div className="code-head">
        <span className="code-tab">{props.title ?? "JSON"}</span>
        <Copy text={text} label={props.title ?? "JSON"}>
          <span className="meta">Copy</span>
        </Copy>
      </div>
      <pre tabIndex={0}>{colored(text)}</pre>
    </div>
  );
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\b(?:true|false|null)\b/gi;

function colored(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    parts.push(text.slice(at, match.index));
    const [whole, quoted, colon] = match;
    const name =
      colon !== undefined ? "j-key" : quoted !== undefined ? "j-string" : wordKind(whole);
    parts.push(
      <span key={match.index} className={name}>
        {quoted ?? whole}
      </span>,
      colon ?? "",
    );
    at = match.index + whole.length;
  }
  parts.push(text.slice(at));
  return parts;
}

function wordKind(token: string): string {
  return /^[tfn]/.test(token) ? "j-word" : "j-number";
}
