import type { BatchValidation } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { useHasBilling } from "../../api/session.ts";
import { firstRowLine } from "../../csv.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Bars } from "../../ui/chart.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { saveFile } from "../../ui/files.ts";
import { formatCount, formatUsd, plural } from "../../ui/format.ts";
import { Card, Facts } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { requestOf, type StepProps } from "./form.ts";
import { RejectedTable, reasonWords } from "./rejected.tsx";
import { rejectedCsv } from "./rejected-rows.ts";

/** From this many recipients, or this cost, a live send needs the number typed in. */
const TYPED_PEOPLE_MIN = 100;
const TYPED_USD_MIN = 1;

export function CheckStep(props: StepProps) {
  const { form, idempotencyKey } = props;
  const check = useRead(
    ["batch-check", idempotencyKey],
    async (api, signal) => {
      const answer = await api.batches.create(requestOf(form, true), {
        signal,
        timeoutMs: 60_000,
      });
      if (answer.object !== "batch_validation")
        throw new Error("The server made a batch of a dry run.");
      return answer;
    },
    { staleMs: 0 },
  );
  const isFile = form.audience === "file";
  const firstLine = isFile ? firstRowLine(form.table) : null;
  return (
    <Loaded query={check}>
      {(validation) => (
        <div className="columns">
          <div className="stack-wide">
            <Report validation={validation} isFile={isFile} />
            {validation.rejected.length > 0 && (
              <Card
                title={isFile ? "Skipped rows" : "Skipped people"}
                flush
                aside={
                  <Button
                    size="small"
                    icon="download"
                    onClick={() => download(validation, firstLine)}
                  >
                    Download
                  </Button>
                }
              >
                <RejectedTable rejected={validation.rejected} firstLine={firstLine} />
              </Card>
            )}
          </div>
          <Send {...props} validation={validation} />
        </div>
      )}
    </Loaded>
  );
}

function download(validation: BatchValidation, firstLine: number | null): void {
  saveFile("skipped.csv", "text/csv", rejectedCsv(validation.rejected, firstLine));
}

function Report(props: { validation: BatchValidation; isFile: boolean }) {
  const { validation } = props;
  const reasons = new Map<string, number>();
  for (const row of validation.rejected)
    reasons.set(row.reason, (reasons.get(row.reason) ?? 0) + 1);
  const bars = [
    { key: "total", name: props.isFile ? "Rows in the file" : "Contacts", value: validation.total },
    ...[...reasons].map(([reason, count]) => ({
      key: reason,
      name: `Skipped: ${reasonWords(reason)}`,
      value: count,
    })),
    { key: "valid", name: "People who get a text", value: validation.valid },
  ];
  return (
    <Card title="Preview">
      <Bars bars={bars} color="--c-sent" max={Math.max(1, validation.total)} />
    </Card>
  );
}

function Send(props: StepProps & { validation: BatchValidation }) {
  const hasBilling = useHasBilling();
  const { form, validation } = props;
  const { base, mode } = useAccount();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const create = useAct(
    (_: undefined, { api }) =>
      api.batches.create(requestOf(form, false), {
        idempotencyKey: props.idempotencyKey,
        timeoutMs: 60_000,
      }),
    {
      stale: ["batches", "home"],
      onDone: (made) => {
        props.clear();
        if (made.object === "batch")
          void navigate({ to: `${base}/batches/${made.id}`, search: {} } as never);
      },
    },
  );
  const cost = validation.estimated_cost_usd;
  const label = `${form.at ? "Schedule for" : "Send to"} ${plural(validation.valid, "person", "people")}`;
  const isLarge = mode === "live" && (validation.valid > TYPED_PEOPLE_MIN || cost > TYPED_USD_MIN);
  return (
    <Card title="Send">
      <div className="stack">
        <Facts
          facts={[
            { name: "People", value: formatCount(validation.valid) },
            { name: "Segments", value: segmentWords(validation) },
            hasBilling ? { name: "Cost", value: cost === 0 ? "Free" : formatUsd(cost) } : null,
            ...(validation.waiting.until === null
              ? []
              : [{ name: "Quiet hours", value: waitingWords(validation.waiting) }]),
            { name: "When", value: form.at ? new Date(form.at).toLocaleString() : "Now" },
          ]}
        />
        {create.error ? <ErrorBox error={create.error} /> : null}
        <Button
          kind="primary"
          icon="send"
          busy={create.isPending}
          disabled={validation.valid === 0}
          onClick={() => (isLarge ? setIsAsking(true) : create.mutate(undefined))}
        >
          {mode === "live" && cost > 0 ? `${label} · ${formatUsd(cost)}` : label}
        </Button>
        <p className="meta">
          People who opt out meanwhile are skipped. A batch can be paused and canceled while it
          runs.
        </p>
      </div>
      <Confirm
        title={`${label}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => create.mutate(undefined)}
        action={label}
        busy={create.isPending}
        error={create.error}
        typed={String(validation.valid)}
      >
        Real texts to real people{hasBilling && `, for ${formatUsd(cost)}`}.
      </Confirm>
    </Card>
  );
}

function waitingWords({ count, until }: BatchValidation["waiting"]): string {
  const last = until === null ? "" : `, the last until ${new Date(until).toLocaleString()}`;
  return `${plural(count, "person waits", "people wait")}${last}`;
}

function segmentWords(validation: BatchValidation): string {
  const { min, max, total } = validation.segments;
  const each = min === max ? `${min} each` : `${min} to ${max} each`;
  return `${formatCount(total)} (${each})`;
}
