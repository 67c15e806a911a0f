import { Icon } from "./icons.tsx";
import { lookOf, type MachineName } from "./looks.ts";

/** Where something stands on its usual way; a state beside the way takes the place of the one it fell from. */
export function StateStepper(props: {
  machine: MachineName;
  state: string;
  /** The usual way, in order. Several names share a place when only one of them is ever reached. */
  way: readonly (readonly string[])[];
}) {
  const at = props.way.findIndex((place) => place.includes(props.state));
  return (
    <ol className="state-steps" aria-label="Progress">
      {props.way.map((place, index) =>
        index === at ? (
          <Now key={place[0]} machine={props.machine} state={props.state} />
        ) : (
          <li key={place[0]} data-when={index < at ? "done" : "later"}>
            {index < at && <Icon name="check" size={13} />}
            {lookOf(props.machine, place[0] ?? "").word}
          </li>
        ),
      )}
    </ol>
  );
}

function Now(props: { machine: MachineName; state: string }) {
  const look = lookOf(props.machine, props.state);
  return (
    <li data-when="now" data-tone={look.tone} aria-current="step">
      <Icon name={look.icon} size={13} />
      {look.word}
    </li>
  );
}
