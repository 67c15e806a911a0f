import { Icon, type IconName } from "./icons.tsx";
import { lookOf, type MachineName, type Tone } from "./looks.ts";

export function Status(props: { machine: MachineName; state: string }) {
  const look = lookOf(props.machine, props.state);
  return <Badge tone={look.tone} icon={look.icon} word={look.word} />;
}

export function Badge(props: { tone: Tone; icon?: IconName; word: string }) {
  return (
    <span className="badge" data-tone={props.tone}>
      {props.icon && <Icon name={props.icon} size={13} />}
      {props.word}
    </span>
  );
}
