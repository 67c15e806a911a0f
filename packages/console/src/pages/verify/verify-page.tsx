import type { Verification, VerificationStats } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { type Bucket, StackedBars } from "../../ui/chart.tsx";
import { errorAt, errorBeside, Segmented, TextField } from "../../ui/field.tsx";
import { formatCount, formatPercent } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { hourBuckets, hoursOfSpan } from "./hours.ts";
import { VerificationList } from "./verification-list.tsx";

const SERIES = [
  { name: "Approved", color: "--c-delivered" },
  { name: "Sent, not approved", color: "--c-sent" },
  { name: "Blocked", color: "--c-failed" },
];

export function VerifyPage() {
  const { base } = useAccount();
  const [search, set] = useFilters();
  const hours = search["hours"] ?? "24";
  const stats = useRead(["verify-stats", hours], (api, signal) =>
    api.verify.stats({ hours: hoursOfSpan(Number(hours)) }, { signal }),
  );
  return (
    <Page
      title="Verify"
      about="One-time codes. Only a successful check is billed; fraud protection looks at every send."
      actions={
        <>
          <ButtonLink to={`${base}/verify/blocks`} icon="minus">
            Blocks
          </ButtonLink>
          <ButtonLink to={`${base}/verify/decisions`} icon="shield">
            Fraud decisions
          </ButtonLink>
        </>
      }
    >
      <div className="columns" style={{ marginBottom: "var(--s5)" }}>
        <div className="stack-wide">
          <Loaded query={stats}>{(value) => <Figures stats={value} />}</Loaded>
          <Card
            title="Codes over time"
            aside={
              <Segmented
                label="Window"
                value={hours}
                choices={[
                  { value: "24", label: "24 h" },
                  { value: "168", label: "7 d" },
                  { value: "720", label: "30 d" },
                ]}
                onChange={(value) => set({ hours: value })}
              />
            }
          >
            <Loaded query={stats}>
              {(value) => (
                <StackedBars
                  label="Codes"
                  series={SERIES}
                  buckets={bucketsOf(value)}
                  onPick={({ from, until }) =>
                    set({ created_after: from, created_before: until ?? undefined }, "asStep")
                  }
                />
              )}
            </Loaded>
          </Card>
        </div>
        <TryIt />
      </div>
      <VerificationList />
    </Page>
  );
}

function bucketsOf(stats: VerificationStats): Bucket[] {
  return hourBuckets(stats.hours, stats.data, (row) => [
    row?.approved ?? 0,
    Math.max(0, (row?.sent ?? 0) - (row?.approved ?? 0)),
    row?.blocked ?? 0,
  ]);
}

/** Four in one row beside a card. */
const FOUR_TILES = { gridTemplateColumns: "repeat(auto-fit, minmax(min(120px, 42%), 1fr))" };

function Figures(props: { stats: VerificationStats }) {
  const { sent, approved, blocked, conversion } = props.stats.totals;
  const figures = [
    { name: "Codes sent", value: formatCount(sent) },
    { name: "Approved", value: formatCount(approved) },
    { name: "Conversion", value: conversion === null ? "–" : formatPercent(conversion) },
    { name: "Blocked", value: formatCount(blocked) },
  ];
  return (
    <div className="tiles" style={FOUR_TILES}>
      {figures.map((each) => (
        <div key={each.name} className="card card-body">
          <div className="figure-label">{each.name}</div>
          <div className="figure">{each.value}</div>
        </div>
      ))}
    </div>
  );
}

function TryIt() {
  const { mode } = useAccount();
  const mayTry = useHasRole("member");
  const [phone, setPhone] = useState(mode === "test" ? "+15005550000" : "");
  const [appName, setAppName] = useState("");
  const start = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.verify.start({ phone, app_name: appName || null }, { idempotencyKey }),
    { stale: ["verify-stats", "decisions", "verifications"] },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate(undefined);
  };
  if (!mayTry) return null;
  return (
    <Card title="Try it">
      <div className="stack">
        <form className="stack" onSubmit={submit}>
          <TextField
            label="Phone"
            required
            inputMode="tel"
            value={phone}
            error={errorAt(start.error, "phone")}
            onChange={(event) => setPhone(event.target.value)}
          />
          <TextField
            label="Name in the text"
            optional
            maxLength={24}
            placeholder="Acme"
            value={appName}
            error={errorAt(start.error, "app_name")}
            onChange={(event) => setAppName(event.target.value)}
          />
          {errorBeside(start.error, ["phone", "app_name"]) !== null && (
            <ErrorBox error={start.error} />
          )}
          <Button type="submit" kind="primary" icon="send" busy={start.isPending}>
            Text a code
          </Button>
        </form>
        {start.data && <CheckIt key={start.data.id} verification={start.data} />}
      </div>
    </Card>
  );
}

function CheckIt(props: { verification: Verification }) {
  const { verification } = props;
  const [code, setCode] = useState("");
  const check = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.verify.check({ phone: verification.phone, code }, { idempotencyKey }),
    { stale: ["verify-stats", "verification", "verifications"] },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    check.mutate(undefined);
  };
  return (
    <form className="stack" onSubmit={submit}>
      {verification.test_code !== undefined && (
        <Note tone="orange">
          In the sandbox the code is shown:{" "}
          <span className="code-digits">{verification.test_code}</span>
        </Note>
      )}
      <Facts
        facts={[
          { name: "Phone", value: <Phone value={verification.phone} /> },
          { name: "Expires", value: <Time at={verification.expires_at} /> },
        ]}
      />
      <TextField
        label="Code"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        error={errorAt(check.error, "code")}
        onChange={(event) => setCode(event.target.value)}
      />
      {errorBeside(check.error, ["code"]) !== null && <ErrorBox error={check.error} />}
      <Button type="submit" busy={check.isPending}>
        Check the code
      </Button>
      {check.data && (
        <div className="row" role="status">
          <Status machine="verification" state={check.data.status} />
          <span className="meta">
            {check.data.attempts} of {verification.max_attempts} tries used
            {check.data.charged ? ", billed" : ""}
          </span>
        </div>
      )}
    </form>
  );
}
