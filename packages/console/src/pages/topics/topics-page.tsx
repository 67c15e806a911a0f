import type { Topic } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { TopicDialog } from "./topic-dialog.tsx";

const PAGE_ITEMS = 50;

const COLUMNS: readonly Column<Topic>[] = [
  {
    name: "Name",
    width: "minmax(140px, 1fr)",
    cell: (row) => <span className="strong">{row.name}</span>,
  },
  {
    name: "Description",
    width: "minmax(140px, 2fr)",
    wideOnly: true,
    cell: (row) => <span className="muted">{row.description ?? "–"}</span>,
  },
  {
    name: "Default",
    width: "150px",
    cell: (row) => <Status machine="subscription" state={row.default} />,
  },
  {
    name: "Opt-in",
    width: "110px",
    wideOnly: true,
    cell: (row) => (row.opt_in_required ? "Needed" : "–"),
  },
  {
    name: "Created",
    width: "112px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.created_at} />,
  },
];

export function TopicsPage() {
  const { api, base } = useAccount();
  const mayEdit = useHasRole("member");
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const create = mayEdit && (
    <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
      New topic
    </Button>
  );
  return (
    <Page
      title="Topics"
      about="Subjects that people subscribe to. A batch under a topic reaches its subscribers only."
      actions={create}
    >
      <List
        label="Topics"
        source={{
          key: ["topics"],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) => api.topics.list({ limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={COLUMNS}
        linkOf={(row) => `${base}/topics/${row.id}`}
        empty={
          <Empty icon="tag" title="No topics yet" action={create}>
            Offers, reminders, news: let people choose what they hear of instead of opting out of
            everything.
          </Empty>
        }
      />
      {isOpen && (
        <TopicDialog
          topic={null}
          onClose={() => setIsOpen(false)}
          onSaved={(made) =>
            void navigate({ to: `${base}/topics/${made.id}`, search: {} } as never)
          }
        />
      )}
    </Page>
  );
}
