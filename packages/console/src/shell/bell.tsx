import { useId, useRef } from "react";
import { AlarmList } from "../alarms/alarm-list.tsx";
import { useAlarms } from "../alarms/use-alarms.ts";
import { plural } from "../ui/format.ts";
import { Icon } from "../ui/icons.tsx";

/** Bell on every page with the open alarms. */
export function Bell() {
  const alarms = useAlarms();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  if (alarms.length === 0) return null;
  const isBad = alarms.some((alarm) => alarm.tone === "red");
  return (
    <>
      <button
        type="button"
        className="btn bell"
        data-kind="ghost"
        data-icon="only"
        aria-label={plural(alarms.length, "alarm")}
        popoverTarget={id}
      >
        <Icon name="bell" />
        <span className="bell-count" data-tone={isBad ? "red" : "amber"} aria-hidden="true">
          {alarms.length}
        </span>
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: choosing a link closes the menu, by key or by click */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a link's Enter is a click */}
      <div
        ref={list}
        id={id}
        popover="auto"
        className="menu bell-list"
        onClick={() => list.current?.hidePopover()}
      >
        <div className="menu-title">Needs you</div>
        <AlarmList alarms={alarms} />
      </div>
    </>
  );
}
