import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Note } from "../../ui/problem.tsx";

/** Recovery codes of a second factor, shown once. */
export function RecoveryCodes(props: { codes: readonly string[] | null; onClose: () => void }) {
  const { codes } = props;
  return (
    <Dialog title="Recovery codes" isOpen={codes !== null} onClose={() => {}}>
      <div className="dialog-body stack">
        <Note tone="amber">
          <strong>Shown once.</strong> Each works once beside the password, when the phone or the
          passkey is gone.
        </Note>
        <Code samples={[{ title: "Codes", text: (codes ?? []).join("\n") }]} />
      </div>
      <div className="dialog-foot">
        <Button kind="primary" onClick={props.onClose}>
          I have saved them
        </Button>
      </div>
    </Dialog>
  );
}
