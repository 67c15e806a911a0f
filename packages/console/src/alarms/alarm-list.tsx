import { Link } from "@tanstack/react-router";
import { useAccount } from "../api/account.tsx";
import { Icon } from "../ui/icons.tsx";
import type { Alarm } from "./use-alarms.ts";

export function AlarmList(props: { alarms: readonly Alarm[] }) {
  const { base } = useAccount();
  return (
    <ul>
      {props.alarms.map((alarm) => (
        <li key={alarm.key}>
          <Link to={`${base}/${alarm.to}`} search={{}} className="alarm">
            <span className="alarm-mark" data-tone={alarm.tone}>
              <Icon name="alert" />
            </span>
            <span className="grow">{alarm.text}</span>
            <span className="muted only-wide">{alarm.todo}</span>
            <Icon name="chevron" />
          </Link>
        </li>
      ))}
    </ul>
  );
}
