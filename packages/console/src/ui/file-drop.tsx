import { type ReactNode, useState } from "react";
import { Icon } from "./icons.tsx";
import { Note } from "./problem.tsx";

const MB_BYTES = 1024 * 1024;
/** What a page reads as a whole; a larger file is for pages that only pass it on. */
const READ_BYTES_MAX = 8 * MB_BYTES;

/** Where a file is dropped or chosen; `onFile` says what is wrong with it, or null. */
export function FileDrop(props: {
  what: string;
  accept: string;
  about: ReactNode;
  bytesMax?: number;
  onFile: (file: File) => string | null | Promise<string | null>;
}) {
  const { bytesMax = READ_BYTES_MAX } = props;
  const [problem, setProblem] = useState<string | null>(null);
  const [isOver, setIsOver] = useState(false);
  const take = async (file: File | undefined) => {
    if (!file) return;
    setProblem(
      file.size > bytesMax
        ? `The file is larger than ${bytesMax / MB_BYTES} MB. Split it into several.`
        : await props.onFile(file),
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
          onChange={(event) => {
            void take(event.target.files?.[0]);
            // A file that was mended has its old name: it is chosen anew.
            event.target.value = "";
          }}
        />
      </label>
      {problem !== null && <Note tone="red">{problem}</Note>}
    </>
  );
}
