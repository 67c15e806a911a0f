import { Icon } from "./icons.tsx";

/** Step indicator of a wizard. */
export function Steps(props: {
  names: readonly string[];
  /** Current step, from 1. */
  step: number;
  reachable: number;
  onGo: (step: number) => void;
}) {
  return (
    <ol className="steps">
      {props.names.map((name, index) => {
        const number = index + 1;
        const state = number === props.step ? "now" : number < props.step ? "done" : "later";
        return (
          <li
            key={name}
            className="step"
            data-state={state}
            aria-current={state === "now" ? "step" : undefined}
          >
            <i>{state === "done" ? <Icon name="check" size={12} /> : number}</i>
            {state === "done" && number <= props.reachable ? (
              <button
                type="button"
                className="copy"
                style={{ cursor: "pointer" }}
                onClick={() => props.onGo(number)}
              >
                {name}
              </button>
            ) : (
              name
            )}
          </li>
        );
      })}
    </ol>
  );
}
