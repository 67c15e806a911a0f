import type { EventType, WebhookEndpoint, WebhookEndpointWithSecret } from "@longwave/sdk";
import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { FormDialog } from "../../ui/dialog.tsx";
import { CheckField, errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { EVENT_TYPES, EVENT_WORDS } from "../events/event-types.ts";

interface EndpointForm {
  readonly url: string;
  readonly description: string;
  readonly events: readonly EventType[];
}

function formOf(endpoint: WebhookEndpoint | undefined): EndpointForm {
  return {
    url: endpoint?.url ?? "https://",
    description: endpoint?.description ?? "",
    events: (endpoint?.events ?? []).filter((type) => type !== "*"),
  };
}

/** Creates or edits an endpoint. */
export function EndpointDialog(props: {
  endpoint?: WebhookEndpoint;
  onClose: () => void;
  onMade?: (made: WebhookEndpointWithSecret) => void;
}) {
  const { endpoint } = props;
  const [form, setForm] = useState(() => formOf(endpoint));
  const set = (change: Partial<EndpointForm>) => setForm({ ...form, ...change });
  const save = useAct<undefined, WebhookEndpoint | WebhookEndpointWithSecret>(
    (_, { api, idempotencyKey }) => {
      const body = {
        url: form.url,
        description: form.description || null,
        events: [...form.events],
      };
      return endpoint
        ? api.webhooks.update(endpoint.id, body)
        : api.webhooks.create(body, { idempotencyKey });
    },
    {
      stale: ["webhooks"],
      onDone: (made) => ("secret" in made && props.onMade ? props.onMade(made) : props.onClose()),
    },
  );
  const toggle = (type: EventType, isOn: boolean) =>
    set({
      events: isOn ? [...form.events, type] : form.events.filter((each) => each !== type),
    });
  return (
    <FormDialog
      title={endpoint ? "Edit endpoint" : "Add an endpoint"}
      isOpen
      onClose={props.onClose}
      onSubmit={() => save.mutate(undefined)}
      submit={endpoint ? "Save" : "Add the endpoint"}
      busy={save.isPending}
      error={errorBeside(save.error, ["url", "description"])}
    >
      <TextField
        label="Address"
        required
        type="url"
        help="https, on a host that anyone can reach."
        value={form.url}
        error={errorAt(save.error, "url")}
        onChange={(event) => set({ url: event.target.value })}
      />
      <TextField
        label="Description"
        optional
        value={form.description}
        error={errorAt(save.error, "description")}
        onChange={(event) => set({ description: event.target.value })}
      />
      <CheckField
        label="All events"
        help="Also those that come with later versions."
        checked={form.events.length === 0}
        onChange={(isAll) => set({ events: isAll ? [] : ["message.received"] })}
      />
      {form.events.length > 0 && (
        <div className="stack-tight" style={{ maxHeight: 220, overflow: "auto", paddingLeft: 24 }}>
          {EVENT_TYPES.map((type) => (
            <CheckField
              key={type}
              label={<code>{type}</code>}
              help={EVENT_WORDS[type]}
              checked={form.events.includes(type)}
              onChange={(isOn) => toggle(type, isOn)}
            />
          ))}
        </div>
      )}
    </FormDialog>
  );
}
