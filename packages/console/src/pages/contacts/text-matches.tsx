import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { storeDraft } from "../../draft.ts";
import { Button } from "../../ui/button.tsx";
import { formatCount } from "../../ui/format.ts";
import type { Search } from "../../ui/search-params.ts";
import { toast } from "../../ui/toast.tsx";
import { type BatchForm, EMPTY_FORM } from "../batches/form.ts";

const PAGE_ITEMS = 100;
/** Ten requests. Larger audiences are segments or tags, which the server reads itself. */
const PICKED_MAX = 1_000;

/** Begins a batch to the contacts that the list's filters match. */
export function TextMatches(props: { query: Search }) {
  const { api, base, mode } = useAccount();
  const navigate = useNavigate();
  const pick = useMutation({
    mutationFn: async (): Promise<Partial<BatchForm> | null> => {
      const { segment_id: segmentId, tag, ...others } = props.query;
      const isAlone = Object.keys(props.query).length === 1;
      if (isAlone && segmentId) return { audience: "segment", segmentId };
      if (isAlone && tag) return { audience: "tags", tags: [tag] };
      const contactIds: string[] = [];
      const query = { ...others, segment_id: segmentId, tag, limit: PAGE_ITEMS };
      for await (const contact of api.contacts.list(query)) {
        if (contactIds.length === PICKED_MAX) return null;
        contactIds.push(contact.id);
      }
      return { audience: "contacts", contactIds };
    },
    onError: () => toast("The contacts could not be read. Try again."),
    onSuccess: (picked) => {
      if (picked === null) {
        toast(`More than ${formatCount(PICKED_MAX)} contacts match. Save them as a segment first.`);
        return;
      }
      storeDraft(`batch.${mode}`, { ...EMPTY_FORM, ...picked });
      void navigate({ to: `${base}/batches/new`, search: {} } as never);
    },
  });
  return (
    <Button icon="batch" busy={pick.isPending} onClick={() => pick.mutate()}>
      Text these people
    </Button>
  );
}
