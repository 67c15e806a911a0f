import { useEffect, useMemo } from "react";
import { AlarmList } from "../../alarms/alarm-list.tsx";
import { useReadAlarms } from "../../alarms/use-alarms.ts";
import { useAccount } from "../../api/account.tsx";
import { readStored, writeStored } from "../../storage.ts";

/**
 * Alarms of the account. They load after the page: rows for as many as there were last time keep
 * their place, so that they do not push the page down.
 */
export function Alarms() {
  const alarms = useReadAlarms();
  const { scope } = useAccount();
  const stored = `alarms.${scope.join(".")}`;
  const expected = useMemo(() => Number(readStored(localStorage, stored)), [stored]);
  const count = alarms?.length;
  useEffect(() => {
    if (count !== undefined) writeStored(localStorage, stored, String(count));
  }, [count, stored]);
  if (alarms === undefined && expected > 0) return <Placeholders count={expected} />;
  if (alarms === undefined || alarms.length === 0) return null;
  return (
    <section className="card" aria-label="Needs you">
      <AlarmList alarms={alarms} />
    </section>
  );
}

function Placeholders(props: { count: number }) {
  return (
    <div className="card" aria-hidden="true">
      {Array.from({ length: props.count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no other key than their position
        <div key={index} className="alarm">
          <span className="alarm-mark" />
          <span className="grow">&nbsp;</span>
        </div>
      ))}
    </div>
  );
}
