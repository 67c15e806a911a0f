import { type FormEvent, type ReactNode, useId, useState } from "react";
import { Button } from "./button.tsx";
import { TextField } from "./field.tsx";
import { ErrorBox, Note } from "./problem.tsx";

/** Opens a modal dialog at its first field, and restores the former focus on close. */
export function openModal(dialog: HTMLDialogElement | null): (() => void) | undefined {
  if (dialog === null) return undefined;
  const before = document.activeElement;
  dialog.showModal();
  dialog.querySelector<HTMLElement>("input, select, textarea")?.focus();
  return () => {
    dialog.close();
    if (before instanceof HTMLElement) before.focus();
  };
}

/** Native modal dialog: it traps the focus, closes on Escape and dims the page. */
export function Dialog(props: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  size?: "wide";
  children: ReactNode;
}) {
  const { isOpen, onClose } = props;
  const titleId = useId();
  if (!isOpen) return null;
  return (
    <dialog
      ref={openModal}
      className="dialog"
      data-size={props.size}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="dialog-head">
        <h2 id={titleId}>{props.title}</h2>
        <Button kind="ghost" size="small" icon="x" aria-label="Close" onClick={onClose} />
      </div>
      {props.children}
    </dialog>
  );
}

/** A dialog with one form, and Cancel and submit buttons in its footer. */
export function FormDialog(props: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  onSubmit: () => void;
  submit: string;
  danger?: boolean;
  busy: boolean;
  disabled?: boolean;
  /** Words of the button that closes the dialog without the action. */
  dismiss?: string;
  error?: unknown;
  children: ReactNode;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A dialog may be opened from within another form, which must not be submitted with it.
    event.stopPropagation();
    props.onSubmit();
  };
  return (
    <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body stack">
          {props.children}
          {props.error ? <ErrorBox error={props.error} /> : null}
        </div>
        <div className="dialog-foot">
          <Button onClick={props.onClose}>{props.dismiss ?? "Cancel"}</Button>
          <Button
            type="submit"
            kind={props.danger ? "danger-solid" : "primary"}
            busy={props.busy}
            disabled={props.disabled ?? false}
          >
            {props.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Confirms an irreversible action with its effect and count; a large one must be typed. */
export function Confirm(props: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
  action: string;
  busy: boolean;
  error?: unknown;
  /** Text to type before the button works. */
  typed?: string;
  /** Words of the button that leaves everything as it is; "Cancel" unless that is the action. */
  dismiss?: string;
  /** The action can be undone later, so its button is not red. */
  isSafe?: boolean;
  children: ReactNode;
}) {
  const [text, setText] = useState("");
  const mustType = props.typed !== undefined;
  return (
    <FormDialog
      title={props.title}
      isOpen={props.isOpen}
      onClose={props.onClose}
      onSubmit={props.onConfirm}
      submit={props.action}
      {...(props.dismiss === undefined ? {} : { dismiss: props.dismiss })}
      danger={props.isSafe !== true}
      busy={props.busy}
      disabled={mustType && text.trim() !== props.typed}
      error={props.error}
    >
      <div className="muted">{props.children}</div>
      {mustType && (
        <TextField
          label={`Type ${props.typed} to go on`}
          value={text}
          onChange={(event) => setText(event.target.value)}
          autoComplete="off"
        />
      )}
    </FormDialog>
  );
}

/**
 * Shows a secret once. Closing the dialog removes it from the page, so Escape and the × ask first
 * unless it was copied.
 */
export function SecretDialog(props: {
  title: string;
  secret: string | null;
  what: string;
  onClose: () => void;
}) {
  const { secret } = props;
  const [isCopied, setIsCopied] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const close = () => {
    setIsCopied(false);
    setIsAsking(false);
    props.onClose();
  };
  const copy = async () => {
    await navigator.clipboard.writeText(secret ?? "");
    setIsCopied(true);
  };
  return (
    <Dialog
      title={props.title}
      isOpen={secret !== null}
      onClose={() => (isCopied ? close() : setIsAsking(true))}
    >
      <div className="dialog-body stack">
        <Note tone={isAsking ? "red" : "amber"}>
          <strong>{isAsking ? "You haven't copied it yet." : "Shown once."}</strong> {props.what}
        </Note>
        <output className="secret mono">{secret}</output>
        <Button
          kind={isCopied ? "secondary" : "primary"}
          icon={isCopied ? "check" : "copy"}
          onClick={() => void copy()}
        >
          {isCopied ? "Copied" : "Copy"}
        </Button>
      </div>
      <div className="dialog-foot">
        <Button kind={isCopied ? "primary" : "secondary"} onClick={close}>
          {isAsking && !isCopied ? "Close without copying" : "Done"}
        </Button>
      </div>
    </Dialog>
  );
}
