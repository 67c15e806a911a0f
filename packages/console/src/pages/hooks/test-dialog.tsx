import type { Hook, HookTest } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, errorAt, errorBeside, Segmented } from "../../ui/field.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { Badge } from "../../ui/status.tsx";
import { Understood } from "./understood.tsx";

const CONTENT_CHARS_MAX = 20_000;
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Reads the body of a call as the hook would, and shows its answer. Nothing is sent. */
export function TestDialog(props: { hook: Hook; sample: string; onClose: () => void }) {
  const [content, setContent] = useState(props.sample);
  const [type, setType] = useState(JSON_TYPE);
  const test = useAct((_: undefined, { api }) =>
    api.hooks.test(props.hook.id, { content, content_type: type }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    test.mutate(undefined);
  };
  const isSample = content === props.sample && content !== "";
  return (
    <Dialog title={`Test ${props.hook.name}`} isOpen onClose={props.onClose} size="wide">
      <form onSubmit={submit}>
        <div className="dialog-body stack">
          <Segmented
            label="Form of the body"
            value={type}
            choices={[
              { value: JSON_TYPE, label: "JSON" },
              { value: FORM_TYPE, label: "Form" },
            ]}
            onChange={setType}
          />
          <AreaField
            label="Body of a call"
            required
            rows={10}
            className="textarea mono"
            spellCheck={false}
            maxLength={CONTENT_CHARS_MAX}
            help={
              isSample
                ? "As the program documents it. Nothing is sent; signature and limits are not checked."
                : "Nothing is sent; signature and limits are not checked."
            }
            value={content}
            error={errorAt(test.error, "content")}
            onChange={(event) => setContent(event.target.value)}
          />
          {errorBeside(test.error, ["content"]) !== null && <ErrorBox error={test.error} />}
          {test.data && <Result test={test.data} />}
        </div>
        <div className="dialog-foot">
          <Button onClick={props.onClose}>Close</Button>
          <Button type="submit" kind="primary" icon="bolt" busy={test.isPending}>
            Run the test
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Result(props: { test: HookTest }) {
  const { answer } = props.test;
  const isAccepted = props.test.error === null && answer.status < 300;
  return (
    <output className="stack">
      <section className="stack-tight" aria-label="Answer">
        <span className="row">
          <strong>Answer</strong>
          <Badge tone={isAccepted ? "green" : "red"} word={String(answer.status)} />
        </span>
        {answer.body !== "" && (
          <div className="code">
            <pre tabIndex={0} style={{ whiteSpace: "pre-wrap" }}>
              {answer.body}
            </pre>
          </div>
        )}
      </section>
      <Understood call={props.test} />
    </output>
  );
}
