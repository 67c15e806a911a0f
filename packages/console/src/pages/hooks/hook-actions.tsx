import type { Hook, HookWithSecret } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { EditHook } from "./hook-dialog.tsx";
import { HookSecret } from "./hook-secret.tsx";
import { TestDialog } from "./test-dialog.tsx";

type OpenDialog = "test" | "edit" | "rotate" | "delete" | null;

export function HookActions(props: { hook: Hook; sample: string }) {
  const { hook } = props;
  const mayChange = useHasRole("admin");
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null);
  const close = () => setOpenDialog(null);
  const pause = useAct(
    (_: undefined, { api }) => api.hooks.update(hook.id, { active: !hook.active }),
    { stale: ["hooks"] },
  );
  if (!mayChange) return null;
  return (
    <>
      {pause.error ? <ErrorBox error={pause.error} /> : null}
      <Button icon="bolt" onClick={() => setOpenDialog("test")}>
        Test a call
      </Button>
      <Button
        icon={hook.active ? "pause" : "play"}
        busy={pause.isPending}
        onClick={() => pause.mutate(undefined)}
      >
        {hook.active ? "Pause" : "Activate"}
      </Button>
      <Menu label="More actions" trigger={<Icon name="dots" />}>
        <MenuItem icon="settings" onSelect={() => setOpenDialog("edit")}>
          Edit
        </MenuItem>
        <MenuItem icon="key" onSelect={() => setOpenDialog("rotate")}>
          Rotate the secret
        </MenuItem>
        <MenuItem icon="trash" danger onSelect={() => setOpenDialog("delete")}>
          Delete
        </MenuItem>
      </Menu>
      {openDialog === "test" && <TestDialog hook={hook} sample={props.sample} onClose={close} />}
      {openDialog === "edit" && <EditHook hook={hook} onClose={close} />}
      <Rotate hook={hook} isOpen={openDialog === "rotate"} onClose={close} />
      <Delete hook={hook} isOpen={openDialog === "delete"} onClose={close} />
    </>
  );
}

interface DialogProps {
  readonly hook: Hook;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function Rotate(props: DialogProps) {
  const [made, setMade] = useState<HookWithSecret | null>(null);
  const rotate = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.hooks.rotateSecret(props.hook.id, { idempotencyKey }),
    {
      onDone: (answer) => {
        props.onClose();
        setMade(answer);
      },
    },
  );
  return (
    <>
      <Confirm
        title={`Rotate the secret of ${props.hook.name}?`}
        isOpen={props.isOpen}
        onClose={props.onClose}
        onConfirm={() => rotate.mutate(undefined)}
        action="Rotate now"
        busy={rotate.isPending}
        error={rotate.error}
      >
        The old secret stops working at once, without an overlap. Calls are refused until the
        program has the new one.
      </Confirm>
      <HookSecret made={made} onClose={() => setMade(null)} />
    </>
  );
}

function Delete(props: DialogProps) {
  const { base } = useAccount();
  const navigate = useNavigate();
  const remove = useAct((_: undefined, { api }) => api.hooks.delete(props.hook.id), {
    stale: ["hooks"],
    onDone: () => void navigate({ to: `${base}/hooks`, search: {} } as never),
  });
  return (
    <Confirm
      title={`Delete ${props.hook.name}?`}
      isOpen={props.isOpen}
      onClose={props.onClose}
      onConfirm={() => remove.mutate(undefined)}
      action="Delete the hook"
      busy={remove.isPending}
      error={remove.error}
    >
      Calls to its address are refused from then on. Its messages stay.
    </Confirm>
  );
}
