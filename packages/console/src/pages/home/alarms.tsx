import { AlarmList } from "../../alarms/alarm-list.tsx";
import { useAlarms } from "../../alarms/use-alarms.ts";

export function Alarms() {
  const alarms = useAlarms();
  if (alarms.length === 0) return null;
  return (
    <section className="card" aria-label="Needs you">
      <AlarmList alarms={alarms} />
    </section>
  );
}
