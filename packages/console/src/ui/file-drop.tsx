import { type ReactNode, useState } from "react";
import { Icon } from "./icons.tsx";
import { Note } from "./problem.tsx";

const FILE_BYTES_MAX = 8 * 1024 * 1024;

/** Where a file is dropped or chosen; `onText` says what is wrong with it, or null. */
export function FileDrop(props: {
  what: string;
  accept: string;
  about: ReactNode;
  onText: (text: string, fileName: string) => string | null;
}) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isOver, setIsOver] = useState(false);
  const take = async (file: File | undefined) => {
    if (!file) return;
    setProblem(
      file.size > FILE_BYTES_MAX
        ? "The file is larger than 8 MB. Split it into several."
        : props.onText(await file.text(), file.name),
    );
  };
  return (
    <>
      <label
        className="drop"
        data-over={isOver}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setIsOver(false);
          void take(event.dataTransfer.files[0]);
        }}
      >
        <Icon name="upload" size={24} />
        <span>
          <b>{props.what}</b> or drop it here
        </span>
        <span className="meta">{props.about}</span>
        <input
          type="file"
          className="sr-only"
          accept={props.accept}
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </label>
      {problem !== null && <Note tone="red">{problem}</Note>}
    </>
  );
}
