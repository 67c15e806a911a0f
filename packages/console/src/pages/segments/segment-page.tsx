import { parseFilter } from "@longwave/contract/tables";
import { ApiError, type Segment } from "@longwave/sdk";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useEffect, useMemo, useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { useDraft } from "../../draft.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Skeleton } from "../../ui/empty.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { formatCount, formatPhone } from "../../ui/format.ts";
import { Card, Page } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { TextMatches } from "../contacts/text-matches.tsx";
import { FilterEditor, type FilterFault } from "./filter-editor.tsx";
import { emptyGroup, type FilterGroup, filterOf, nodeAt, treeOf } from "./filter-tree.ts";

export function NewSegmentPage() {
  return <Editor segment={null} />;
}

export function SegmentPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const segment = useRead(["segments", id], (api, signal) => api.segments.get(id, { signal }));
  const { base } = useAccount();
  if (segment.data) return <Editor key={segment.data.id} segment={segment.data} />;
  return (
    <Page title="Segment" crumb={{ to: `${base}/segments`, label: "Segments" }}>
      <Loaded query={segment}>{() => null}</Loaded>
    </Page>
  );
}

function Editor(props: { segment: Segment | null }) {
  const { segment } = props;
  const { base } = useAccount();
  const mayEdit = useHasRole("member");
  const navigate = useNavigate();
  const [empty] = useState(() => ({
    name: segment?.name ?? "",
    tree: segment ? treeOf(segment.filter) : emptyGroup(),
  }));
  const form = useDraft(`segment.${segment?.id ?? "new"}`, empty);
  const { name, tree } = form.value;
  const filter = useMemo(() => filterOf(tree), [tree]);
  const save = useAct(
    (_: undefined, { api }) => {
      const body = { name, filter };
      return segment
        ? api.segments.update(segment.id, body)
        : api.segments.create(body, { idempotencyKey: form.idempotencyKey });
    },
    {
      stale: ["segments"],
      onDone: (saved) => {
        form.clear();
        toast("Saved.");
        if (!segment) void navigate({ to: `${base}/segments/${saved.id}`, search: {} } as never);
      },
    },
  );
  const preview = usePreview(filter);
  const fault = faultIn(tree, filter, save.error ?? preview.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (mayEdit) save.mutate(undefined);
  };
  return (
    <Page
      title={segment?.name ?? "New segment"}
      crumb={{ to: `${base}/segments`, label: "Segments" }}
      actions={segment && <Actions segment={segment} />}
    >
      <form className="columns" onSubmit={submit}>
        <Card title="Conditions">
          <div className="stack">
            <TextField
              label="Name"
              required
              value={name}
              error={errorAt(save.error, "name")}
              onChange={(event) => form.set({ name: event.target.value })}
            />
            <FilterEditor
              tree={tree}
              fault={fault}
              onChange={(next: FilterGroup) => form.set({ tree: next })}
            />
            {fault === null && errorBeside(save.error, ["name"]) !== null && (
              <ErrorBox error={save.error} />
            )}
            {mayEdit && (
              <div className="row">
                <Button
                  type="submit"
                  kind="primary"
                  busy={save.isPending}
                  disabled={fault !== null}
                >
                  Save the segment
                </Button>
              </div>
            )}
          </div>
        </Card>
        <PreviewCard preview={preview} isWrong={fault !== null} />
      </form>
    </Page>
  );
}

const TYPING_MS = 300;

/** Counts the contacts that match the filter, once typing pauses. */
function usePreview(filter: ReturnType<typeof filterOf>) {
  const [debounced, setDebounced] = useState(filter);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(filter), TYPING_MS);
    return () => clearTimeout(timer);
  }, [filter]);
  return useRead(
    ["segment-preview", JSON.stringify(debounced)],
    (api, signal) => api.segments.preview({ filter: debounced }, { signal }),
    { enabled: parseFilter(debounced).ok },
  );
}

/** The invalid row: found in the browser by the server's rules, or named by the server. */
function faultIn(
  tree: FilterGroup,
  filter: ReturnType<typeof filterOf>,
  error: unknown,
): FilterFault | null {
  const parsed = parseFilter(filter);
  const serverFault =
    error instanceof ApiError && error.param !== null
      ? { param: error.param, reason: error.message }
      : null;
  const found = parsed.ok ? serverFault : parsed;
  if (found === null) return null;
  const id = nodeAt(tree, found.param);
  return id === null ? null : { id, reason: found.reason };
}

function PreviewCard(props: { preview: ReturnType<typeof usePreview>; isWrong: boolean }) {
  const { preview, isWrong } = props;
  const { data } = preview;
  return (
    <Card title="Right now">
      <div className="stack" aria-live="polite" aria-busy={preview.isFetching}>
        {isWrong ? (
          <p className="muted">The count comes back when the filter is whole.</p>
        ) : data ? (
          <>
            <div>
              <div className="figure" data-testid="segment-size">
                {data.size === null ? "Very many" : formatCount(data.size)}
              </div>
              <div className="meta">{data.size === 1 ? "person" : "people"}</div>
            </div>
            <ul className="stack-tight">
              {data.contacts.map((contact) => (
                <li key={contact.id} className="row-apart">
                  <span className="cut">{contact.name ?? "–"}</span>
                  <span className="muted nowrap">{formatPhone(contact.phone_number)}</span>
                </li>
              ))}
            </ul>
          </>
        ) : preview.error ? (
          <ErrorBox error={preview.error} />
        ) : (
          <Skeleton />
        )}
      </div>
    </Card>
  );
}

function Actions(props: { segment: Segment }) {
  const { segment } = props;
  const { base } = useAccount();
  const mayEdit = useHasRole("member");
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useAct((_: undefined, { api }) => api.segments.delete(segment.id), {
    stale: ["segments"],
    onDone: () => void navigate({ to: `${base}/segments`, search: {} } as never),
  });
  return (
    <>
      <ButtonLink to={`${base}/contacts`} search={{ segment_id: segment.id }} icon="users">
        See the people
      </ButtonLink>
      {mayEdit && <TextMatches query={{ segment_id: segment.id }} />}
      {mayEdit && (
        <Button kind="danger" onClick={() => setIsAsking(true)}>
          Delete
        </Button>
      )}
      <Confirm
        title={`Delete ${segment.name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate(undefined)}
        action="Delete the segment"
        busy={remove.isPending}
        error={remove.error}
      >
        The contacts stay, and so do batches that were made from it.
      </Confirm>
    </>
  );
}
