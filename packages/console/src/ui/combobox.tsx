import {
  type InputHTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  useId,
  useState,
} from "react";

export interface ComboboxChoice {
  readonly key: string;
  readonly label: ReactNode;
}

type ComboboxProps<C> = {
  readonly choices: readonly C[];
  /** Name of the list of choices, for screen readers. */
  readonly listLabel: string;
  readonly value: string;
  readonly onType: (text: string) => void;
  readonly onPick: (choice: C) => void;
  readonly inputRef?: (input: HTMLInputElement | null) => void;
  /** The focus has left without a pick. */
  readonly onLeave?: () => void;
} & Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange" | "onBlur" | "onKeyDown">;

/** Text field whose choices appear below it while one types. */
export function Combobox<C extends ComboboxChoice>(props: ComboboxProps<C>) {
  const { choices, listLabel, onType, onPick, inputRef, onLeave, ...input } = props;
  const listId = useId();
  const [at, setAt] = useState(0);
  const [isOpen, setIsOpen] = useState(false);
  const shown = isOpen ? choices : [];
  const pick = (choice: C | undefined) => {
    if (!choice) return;
    setIsOpen(false);
    onPick(choice);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (shown.length === 0) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") pick(shown[at]);
    else if (event.key === "Escape") setIsOpen(false);
    else if (step !== undefined) setAt((at + step + shown.length) % shown.length);
    else return;
    event.preventDefault();
  };
  return (
    <div className="picker">
      <input
        className="input"
        type="text"
        {...input}
        ref={inputRef}
        role="combobox"
        aria-expanded={shown.length > 0}
        aria-controls={listId}
        aria-activedescendant={shown[at] ? `${listId}-${at}` : undefined}
        autoComplete="off"
        onKeyDown={onKeyDown}
        onBlur={() => {
          setIsOpen(false);
          onLeave?.();
        }}
        onChange={(event) => {
          onType(event.target.value);
          setAt(0);
          setIsOpen(true);
        }}
      />
      <div className="picker-list" role="listbox" id={listId} aria-label={listLabel} tabIndex={-1}>
        {shown.map((choice, index) => (
          <div
            key={choice.key}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            className="palette-item"
            aria-selected={index === at}
            onMouseMove={() => setAt(index)}
            // A click would move the focus away first, which closes the list.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => pick(choice)}
            onKeyDown={() => {}}
          >
            {choice.label}
          </div>
        ))}
      </div>
    </div>
  );
}
