import { type KeyboardEvent, useState } from "react";
import { Button } from "./button.tsx";
import { Field } from "./field.tsx";

export function Tags(props: { tags: readonly string[] }) {
  if (props.tags.length === 0) return <span className="muted">–</span>;
  return (
    <span className="tags">
      {props.tags.map((tag) => (
        <span key={tag} className="chip">
          {tag}
        </span>
      ))}
    </span>
  );
}

/** Input of several tags; Enter or a comma ends one. */
export function TagsField(props: {
  label: string;
  help?: string;
  tags: readonly string[];
  error?: string | null;
  onChange: (tags: readonly string[]) => void;
}) {
  const { tags, onChange } = props;
  const [text, setText] = useState("");
  const add = () => {
    const fresh = text
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== "" && !tags.includes(tag));
    if (fresh.length > 0) onChange([...tags, ...fresh]);
    setText("");
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Backspace" && text === "") onChange(tags.slice(0, -1));
    if (event.key !== "Enter" && event.key !== ",") return;
    event.preventDefault();
    add();
  };
  return (
    <Field label={props.label} help={props.help} error={props.error}>
      {(control) => (
        <div className="tags">
          {tags.map((tag) => (
            <span key={tag} className="chip">
              {tag}
              <Button
                kind="ghost"
                size="small"
                icon="x"
                aria-label={`Remove ${tag}`}
                onClick={() => onChange(tags.filter((each) => each !== tag))}
              />
            </span>
          ))}
          <input
            {...control}
            className="input"
            type="text"
            autoComplete="off"
            placeholder={tags.length === 0 ? "vip, berlin" : "Add another"}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKey}
            onBlur={add}
          />
        </div>
      )}
    </Field>
  );
}
