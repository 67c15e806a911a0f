import type { WebhookEndpoint } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, SecretDialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";

type OpenDialog = "edit" | "rotate" | "delete" | null;

export function EndpointActions(props: { endpoint: WebhookEndpoint }) {
  const { endpoint } = props;
  const mayChange = useHasRole("member");
  const mayRotate = useHasRole("admin");
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null);
  const ping = useAct(
    (_: undefined, { api, idempotencyKey }) => api.webhooks.test(endpoint.id, { idempotencyKey }),
    {
      stale: ["deliveries"],
      onDone: (attempt) =>
        toast(
          attempt.ok
            ? `Answered ${attempt.status_code} in ${attempt.latency_ms} ms.`
            : `The ping failed: ${attempt.status_code ?? attempt.error}.`,
        ),
    },
  );
  const pause = useAct(
    (_: undefined, { api }) => api.webhooks.update(endpoint.id, { active: !endpoint.active }),
    {
      stale: ["webhooks"],
    },
  );
  if (!mayChange) return null;
  return (
    <>
      {ping.error ? <ErrorBox error={ping.error} /> : null}
      <Button icon="bolt" busy={ping.isPending} onClick={() => ping.mutate(undefined)}>
        Ping
      </Button>
      <Button
        icon={endpoint.active ? "pause" : "play"}
        busy={pause.isPending}
        onClick={() => pause.mutate(undefined)}
      >
        {endpoint.active ? "Pause" : "Activate"}
      </Button>
      <Menu label="More actions" trigger={<Icon name="dots" />}>
        <MenuItem icon="settings" onSelect={() => setOpenDialog("edit")}>
          Edit
        </MenuItem>
        {mayRotate && (
          <MenuItem icon="key" onSelect={() => setOpenDialog("rotate")}>
            Rotate the secret
          </MenuItem>
        )}
        {mayRotate && (
          <MenuItem icon="trash" danger onSelect={() => setOpenDialog("delete")}>
            Delete
          </MenuItem>
        )}
      </Menu>
      {openDialog === "edit" && (
        <EndpointDialog endpoint={endpoint} onClose={() => setOpenDialog(null)} />
      )}
      <Rotate
        endpoint={endpoint}
        isOpen={openDialog === "rotate"}
        onClose={() => setOpenDialog(null)}
      />
      <Delete
        endpoint={endpoint}
        isOpen={openDialog === "delete"}
        onClose={() => setOpenDialog(null)}
      />
    </>
  );
}

interface DialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function Rotate(props: DialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.webhooks.rotateSecret(props.endpoint.id, { idempotencyKey }),
    {
      onDone: (made) => {
        props.onClose();
        setSecret(made.secret);
      },
    },
  );
  return (
    <>
      <Confirm
        title={`Rotate the signing secret of ${props.endpoint.url}?`}
        isOpen={props.isOpen}
        onClose={props.onClose}
        onConfirm={() => rotate.mutate(undefined)}
        action="Rotate now"
        busy={rotate.isPending}
        error={rotate.error}
      >
        The old secret stops working at once, without an overlap. Retries of earlier failures are
        signed with the new one.
      </Confirm>
      <SecretDialog
        title="The new signing secret"
        secret={secret}
        what="The old one no longer works."
        onClose={() => setSecret(null)}
      />
    </>
  );
}

function Delete(props: DialogProps) {
  const { base } = useAccount();
  const navigate = useNavigate();
  const remove = useAct((_: undefined, { api }) => api.webhooks.delete(props.endpoint.id), {
    stale: ["webhooks"],
    onDone: () => void navigate({ to: `${base}/webhooks`, search: {} } as never),
  });
  return (
    <Confirm
      title={`Delete ${props.endpoint.url}?`}
      isOpen={props.isOpen}
      onClose={props.onClose}
      onConfirm={() => remove.mutate(undefined)}
      action="Delete the endpoint"
      busy={remove.isPending}
      error={remove.error}
    >
      It gets no more events. What waits for a retry is dropped.
    </Confirm>
  );
}
