import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { TagsField } from "../../ui/tags.tsx";
import { hasAudience, ROWS_MAX, type StepProps } from "./form.ts";

const CHOICES_READ = 100;

/** Recipients from the account's contacts: a segment, tags, or picked ones; perhaps of one topic. */
export function ContactsAudience(props: StepProps) {
  const { form, set } = props;
  const { base } = useAccount();
  const segments = useRead(["segments", "choices"], (api, signal) =>
    api.segments.list({ limit: CHOICES_READ }, { signal }),
  );
  const topics = useRead(["topics", "choices"], (api, signal) =>
    api.topics.list({ limit: CHOICES_READ }, { signal }),
  );
  return (
    <div className="stack">
      {form.audience === "contacts" && (
        <p>
          {plural(form.contactIds.length, "contact")} picked.{" "}
          <Link to={`${base}/contacts`} search={{}}>
            Pick others
          </Link>
        </p>
      )}
      {form.audience === "segment" && (
        <SelectField
          label="Segment"
          required
          value={form.segmentId}
          blank="Choose a segment"
          choices={(segments.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          help={`Evaluated when the batch is created. At most ${formatCount(ROWS_MAX)} people.`}
          onChange={(event) => set({ segmentId: event.target.value })}
        />
      )}
      {form.audience === "tags" && (
        <TagsField
          label="Tags"
          help="Contacts with any of these tags."
          tags={form.tags}
          onChange={(tags) => set({ tags })}
        />
      )}
      <SelectField
        label="Topic"
        optional
        value={form.topicId}
        blank="Everyone"
        choices={(topics.data?.data ?? []).map(({ id, name }) => ({
          value: id,
          label: `Only subscribers of ${name}`,
        }))}
        onChange={(event) => set({ topicId: event.target.value })}
      />
      <div className="row">
        <Button kind="primary" disabled={!hasAudience(form)} onClick={props.next}>
          Next: message
        </Button>
      </div>
    </div>
  );
}
