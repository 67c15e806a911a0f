import type { ScheduledMessage } from "@longwave/sdk";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { type Column, List } from "../../lists/list.tsx";
import type { Bulk } from "../../lists/selection.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatDayAndTime, formatPhone } from "../../ui/format.ts";
import { NamedPerson } from "../../ui/person.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { CancelSelected } from "./cancel-selected.tsx";

const PAGE_ITEMS = 100;

const SCHEDULED_BULK: Bulk<ScheduledMessage> = {
  idOf: (row) => row.id,
  nameOf: (row) => formatPhone(row.to),
  actions: (selected, clear) => <CancelSelected selected={selected} clear={clear} />,
};

/** Scheduled messages, earliest first. */
export function ScheduledMessagesList() {
  const { api, base } = useAccount();
  const mayCancel = useHasRole("member");
  const [chosen, setChosen] = useState<ScheduledMessage | null>(null);
  const cancel = useAct((id: string, context) => context.api.scheduledMessages.delete(id), {
    stale: ["scheduled"],
    onDone: () => {
      setChosen(null);
      toast("Canceled. It will not be sent.");
    },
  });
  const columns: readonly Column<ScheduledMessage>[] = [
    {
      name: "Goes out",
      width: "190px",
      cell: (row) => (
        <>
          <span className="strong">{formatDayAndTime(row.scheduled_at)}</span>{" "}
          <span className="muted only-narrow">{formatPhone(row.to)}</span>
        </>
      ),
    },
    { name: "In", width: "90px", wideOnly: true, cell: (row) => <Time at={row.scheduled_at} /> },
    {
      name: "To",
      width: "minmax(150px, 0.8fr)",
      wideOnly: true,
      cell: (row) => <NamedPerson phone={row.to} />,
    },
    { name: "From", width: "150px", wideOnly: true, cell: (row) => formatPhone(row.from) },
    {
      name: "Text",
      width: "minmax(120px, 1fr)",
      wideOnly: true,
      cell: (row) => <span className="muted">{row.body}</span>,
    },
    {
      name: "",
      width: "84px",
      right: true,
      cell: (row) =>
        mayCancel && (
          <Button size="small" onClick={() => setChosen(row)}>
            Cancel
          </Button>
        ),
    },
  ];
  return (
    <>
      <List
        label="Scheduled texts"
        source={{
          key: ["scheduled"],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.scheduledMessages.list({ limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={columns}
        bulk={mayCancel ? SCHEDULED_BULK : undefined}
        readOtherMode={(otherApi, signal) =>
          otherApi.scheduledMessages.list({ limit: PAGE_ITEMS }, { signal })
        }
        empty={
          <Empty
            icon="calendar"
            title="Nothing is scheduled"
            action={
              mayCancel && (
                <ButtonLink to={`${base}/messages/new`} kind="primary" icon="calendar">
                  Schedule a text
                </ButtonLink>
              )
            }
          >
            Give a text a time, up to 30 days ahead, and it waits here.
          </Empty>
        }
      />
      <Confirm
        title={chosen ? `Cancel the text to ${formatPhone(chosen.to)}?` : ""}
        isOpen={chosen !== null}
        onClose={() => setChosen(null)}
        onConfirm={() => chosen && cancel.mutate(chosen.id)}
        action="Cancel the text"
        dismiss="Keep it"
        busy={cancel.isPending}
        error={cancel.error}
      >
        It will not be sent. This can't be undone.
      </Confirm>
    </>
  );
}
