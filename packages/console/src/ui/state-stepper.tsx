import { Icon } from "./icons.tsx";
import { lookOf, type MachineName } from "./looks.ts";

/** Position in a usual sequence of states. An unusual state replaces the one that it came from. */
export function StateStepper(props: {
  machine: MachineName;
  state: string;
  /** Usual states in order. Alternatives share a position. */
  way: readonly (readonly string[])[];
}) {
  const at = props.way.findIndex((states) => states.includes(props.state));
  return (
    <ol className="state-steps" aria-label="Progress">
      {props.way.map((states, index) =>
        index === at ? (
          <CurrentState key={states[0]} machine={props.machine} state={props.state} />
        ) : (
          <li key={states[0]} data-when={index < at ? "done" : "later"}>
            {index < at && <Icon name="check" size={13} />}
            {lookOf(props.machine, states[0] ?? "").word}
          </li>
        ),
      )}
    </ol>
  );
}

function CurrentState(props: { machine: MachineName; state: string }) {
  const look = lookOf(props.machine, props.state);
  return (
    <li data-when="now" data-tone={look.tone} aria-current="step">
      <Icon name={look.icon} size={13} />
      {look.word}
    </li>
  );
}
