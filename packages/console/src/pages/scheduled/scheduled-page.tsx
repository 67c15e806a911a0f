import { useAccount, useHasRole } from "../../api/account.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { RecurringList } from "../schedules/recurring-list.tsx";
import { Calendar } from "./calendar.tsx";
import { ScheduledMessagesList } from "./messages-list.tsx";

const TABS = [
  { id: "calendar", label: "Calendar" },
  { id: "texts", label: "Single texts" },
  { id: "recurring", label: "Recurring" },
];

export function ScheduledPage() {
  const { base } = useAccount();
  const maySend = useHasRole("member");
  const tab = useTab(TABS);
  return (
    <Page
      title="Scheduled"
      about="Messages, batches and recurring texts to come. Each is checked again when it is due."
      actions={
        maySend && (
          <>
            <ButtonLink to={`${base}/schedules/new`} icon="retry">
              New recurring text
            </ButtonLink>
            <ButtonLink to={`${base}/messages/new`} kind="primary" icon="calendar">
              Schedule a text
            </ButtonLink>
          </>
        )
      }
    >
      <div className="stack">
        <Tabs label="Scheduled" tabs={TABS} chosen={tab} />
        {tab === "calendar" && <Calendar />}
        {tab === "texts" && <ScheduledMessagesList />}
        {tab === "recurring" && <RecurringList />}
      </div>
    </Page>
  );
}
