import type { Topic, TopicSubscription } from "@longwave/sdk";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm, FormDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { errorAt, errorBeside, SelectField, TextField } from "../../ui/field.tsx";
import { statesOf } from "../../ui/looks.ts";
import { Page } from "../../ui/page.tsx";
import { NamedPerson } from "../../ui/person.tsx";
import { Note } from "../../ui/problem.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { TopicDialog } from "./topic-dialog.tsx";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [
  { name: "phone_number", label: "Phone", kind: "phone" },
  {
    name: "subscribed",
    label: "Any choice",
    kind: "choice",
    choices: [
      { value: "true", label: "Subscribed" },
      { value: "false", label: "Unsubscribed" },
    ],
  },
];

const stateOf = (isOn: boolean) => (isOn ? "subscribed" : "unsubscribed");

const COLUMNS: readonly Column<TopicSubscription>[] = [
  {
    name: "Phone",
    width: "minmax(140px, 1fr)",
    cell: (row) => <NamedPerson phone={row.phone_number} />,
  },
  {
    name: "Choice",
    width: "150px",
    cell: (row) => <Status machine="subscription" state={stateOf(row.subscribed)} />,
  },
  {
    name: "Since",
    width: "112px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.updated_at} />,
  },
];

export function TopicPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api, base } = useAccount();
  const [search] = useFilters();
  const { phone_number, subscribed } = usePicked(search, ["phone_number", "subscribed"]);
  const topic = useRead(["topics", id], (client, signal) => client.topics.get(id, { signal }));
  const query = {
    ...(phone_number ? { phone_number } : {}),
    ...(subscribed ? { subscribed: subscribed === "true" } : {}),
  };
  return (
    <Page
      title={topic.data?.name ?? "Topic"}
      crumb={{ to: `${base}/topics`, label: "Topics" }}
      about={topic.data?.description}
      actions={topic.data && <Actions topic={topic.data} />}
    >
      <Loaded query={topic}>
        {(value) => (
          <>
            {value.opt_in_required && (
              <Note tone="blue">Its batches reach only people who have opted in.</Note>
            )}
            <FilterBar filters={FILTERS} />
            <List
              label="Subscriptions"
              source={{
                key: ["topics", id, "subscriptions", query],
                pageItems: PAGE_ITEMS,
                fetch: (cursor, signal) =>
                  api.topics.subscriptions(id, { ...query, limit: PAGE_ITEMS, cursor }, { signal }),
              }}
              columns={COLUMNS}
              linkOf={(row) => `${base}/consent/${row.phone_number}`}
              empty={
                <Empty icon="tag" title="No subscriptions yet">
                  {value.default === "subscribed"
                    ? "Until they choose, people get all of its messages."
                    : "Until they choose, people get none of its messages."}
                </Empty>
              }
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Actions(props: { topic: Topic }) {
  const { topic } = props;
  const { base } = useAccount();
  const mayEdit = useHasRole("member");
  const navigate = useNavigate();
  const [open, setOpen] = useState<"choose" | "change" | "delete" | null>(null);
  const close = () => setOpen(null);
  const remove = useAct((_: undefined, { api }) => api.topics.delete(topic.id), {
    stale: ["topics"],
    onDone: () => void navigate({ to: `${base}/topics`, search: {} } as never),
  });
  if (!mayEdit) return null;
  return (
    <>
      <Button icon="plus" onClick={() => setOpen("choose")}>
        Set subscription
      </Button>
      <Button onClick={() => setOpen("change")}>Edit</Button>
      <Button kind="danger" onClick={() => setOpen("delete")}>
        Delete
      </Button>
      {open === "choose" && <ChoiceDialog topic={topic} onClose={close} />}
      {open === "change" && (
        <TopicDialog
          topic={topic}
          onClose={close}
          onSaved={() => {
            close();
            toast("Saved.");
          }}
        />
      )}
      <Confirm
        title={`Delete ${topic.name}?`}
        isOpen={open === "delete"}
        onClose={close}
        onConfirm={() => remove.mutate(undefined)}
        action="Delete the topic"
        busy={remove.isPending}
        error={remove.error}
      >
        Nothing can be sent under it any more. Batches that were made with it still leave out who
        unsubscribed.
      </Confirm>
    </>
  );
}

function ChoiceDialog(props: { topic: Topic; onClose: () => void }) {
  const [phone, setPhone] = useState("");
  const [choice, setChoice] = useState("subscribed");
  const save = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.topics.subscribe(
        props.topic.id,
        { phone_number: phone, subscribed: choice === "subscribed" },
        { idempotencyKey },
      ),
    {
      stale: ["topics"],
      onDone: () => {
        props.onClose();
        toast("Recorded.");
      },
    },
  );
  return (
    <FormDialog
      title="Set subscription"
      isOpen
      onClose={props.onClose}
      onSubmit={() => save.mutate(undefined)}
      submit="Save"
      busy={save.isPending}
      error={errorBeside(save.error, ["phone_number"])}
    >
      <TextField
        label="Phone"
        required
        inputMode="tel"
        value={phone}
        error={errorAt(save.error, "phone_number")}
        onChange={(event) => setPhone(event.target.value)}
      />
      <SelectField
        label="Choice"
        value={choice}
        choices={statesOf("subscription")}
        onChange={(event) => setChoice(event.target.value)}
      />
    </FormDialog>
  );
}
