import { type ReactNode, useState } from "react";
import { Icon } from "./icons.tsx";
import { Note } from "./problem.tsx";

const MB_BYTES = 1024 * 1024;
/** Limit for files that a page reads into memory. Pages that stream a file have a larger one. */
const READ_BYTES_MAX = 8 * MB_BYTES;

/** Drop zone and file input. `onFile` returns an error about the file, or null. */
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
  const readFile = async (file: File | undefined) => {
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
          void readFile(event.dataTransfer.files[0]);
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
            void readFile(event.target.files?.[0]);
            // A corrected file has the same name: reset the input, so that choosing it again fires
            // a change.
            event.target.value = "";
          }}
        />
      </label>
      {problem !== null && <Note tone="red">{problem}</Note>}
    </>
  );
}
