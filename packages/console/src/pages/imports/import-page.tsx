import { useEffect, useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { RoleNeeded } from "../../ui/role-needed.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { type AccountImport, imports } from "./calls.ts";
import { CredentialsForm, type Login } from "./credentials-form.tsx";
import { ImportReport } from "./import-report.tsx";
import { PastImports } from "./past-imports.tsx";

const REFETCH_MS = 1_000;

/**
 * Imports an account from another provider: connect, preview, run. Credentials stay in this page's
 * memory; a reload forgets them.
 */
export function ImportPage() {
  const mayImport = useHasRole("admin");
  const [search, set] = useFilters();
  const id = search["id"];
  const [login, setLogin] = useState<Login | null>(null);
  const start = useAct(
    (input: Login & { dry_run: boolean }, { api, idempotencyKey }) =>
      imports.create(api, input, { idempotencyKey }),
    { stale: ["imports"], onDone: (made) => set({ id: made.id }) },
  );
  const begin = (next: Login, isPreview: boolean) => {
    setLogin(next);
    start.mutate({ ...next, dry_run: isPreview });
  };
  const leave = () => {
    setLogin(null);
    start.reset();
    set({ id: undefined });
  };
  return (
    <Page
      title="Import"
      about="Bring numbers, sender pools and webhooks over from another provider. Review everything before anything is created."
      actions={
        id !== undefined && (
          <Button icon="plus" onClick={leave}>
            New import
          </Button>
        )
      }
    >
      {!mayImport ? (
        <RoleNeeded needed="admin" what="the importer" />
      ) : id === undefined ? (
        <div className="stack-wide">
          <CredentialsForm
            isPreview
            isBusy={start.isPending}
            error={start.error}
            onLogin={(next) => begin(next, true)}
          />
          <PastImports onChosen={(chosen) => set({ id: chosen })} />
        </div>
      ) : (
        <OneImport key={id} id={id} login={login} start={start} onBegin={begin} />
      )}
    </Page>
  );
}

function OneImport(props: {
  id: string;
  login: Login | null;
  start: { isPending: boolean; error: unknown };
  onBegin: (next: Login, isPreview: boolean) => void;
}) {
  const { id } = props;
  const [isMoving, setIsMoving] = useState(true);
  const read = useRead(["imports", id], (api, signal) => imports.get(api, id, { signal }), {
    refetchMs: isMoving && REFETCH_MS,
  });
  const status = read.data?.status;
  useEffect(() => setIsMoving(status === undefined || status === "running"), [status]);
  return (
    <Loaded query={read}>
      {(run) => (
        <div className="stack-wide">
          <ImportReport run={run} action={run.status === "running" && <Stop run={run} />} />
          <NextStep {...props} run={run} />
        </div>
      )}
    </Loaded>
  );
}

/** Cancels the import. Objects created so far stay. */
function Stop(props: { run: AccountImport }) {
  const { id, dry_run: isPreview } = props.run;
  const [isAsked, setIsAsked] = useState(false);
  const cancel = useAct(
    (_: undefined, { api, idempotencyKey }) => imports.cancel(api, id, { idempotencyKey }),
    { stale: ["imports"], onDone: () => setIsAsked(false) },
  );
  return (
    <>
      <Button size="small" onClick={() => setIsAsked(true)}>
        Cancel it
      </Button>
      <Confirm
        isOpen={isAsked}
        title={isPreview ? "Cancel this preview?" : "Cancel this import?"}
        action={isPreview ? "Cancel the preview" : "Cancel the import"}
        dismiss="Keep it"
        busy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate(undefined)}
        onClose={() => setIsAsked(false)}
      >
        {isPreview
          ? "The other account is read no further."
          : "Objects added so far stay. Run it again to continue."}
      </Confirm>
    </>
  );
}

/**
 * Runs a previewed import, or resumes a broken one, with the earlier credentials while the page has
 * them.
 */
function NextStep(props: {
  run: AccountImport;
  login: Login | null;
  start: { isPending: boolean; error: unknown };
  onBegin: (next: Login, isPreview: boolean) => void;
}) {
  const { run, login, start } = props;
  const isInterrupted = run.status === "failed" || run.status === "canceled";
  const isPreviewToo = isInterrupted && run.dry_run;
  const hasMore = isInterrupted || (run.dry_run && creations(run) > 0);
  if (run.status === "running" || !hasMore) return null;
  return (
    <CredentialsForm
      isPreview={isPreviewToo}
      provider={run.provider}
      login={run.error?.code === "provider_refused" ? null : login}
      isBusy={start.isPending}
      error={start.error}
      onLogin={(next) => props.onBegin(next, isPreviewToo)}
    />
  );
}

function creations({ numbers, pools, webhooks }: AccountImport): number {
  return [...numbers, ...pools, ...webhooks].filter(({ action }) => action === "create").length;
}
