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
      {props.way.map((place, index) => {
        const isNow = index === at;
        const shown = isNow ? props.state : (place[0] ?? "");
        const look = lookOf(props.machine, shown);
        const when = isNow ? "now" : index < at ? "done" : "later";
        return (
          <li
            key={place[0]}
            data-when={when}
            data-tone={isNow ? look.tone : undefined}
            aria-current={isNow ? "step" : undefined}
          >
            {(isNow || index < at) && <Icon name={isNow ? look.icon : "check"} size={13} />}
            {look.word}
          </li>
        );
      })}
    </ol>
  );
}
