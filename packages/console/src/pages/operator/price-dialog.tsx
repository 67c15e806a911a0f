import { NOTE_CHARS_MAX, NUMBER_TYPES, PRICE_BASES, PRICE_ITEMS } from "@longwave/contract/tables";
import type { OperatorPricesCreateBody } from "@longwave/sdk";
import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { fromDatetimeField, zoneName } from "../../ui/datetime-field.ts";
import { FormDialog } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, SelectField, TextField } from "../../ui/field.tsx";
import { formatPrice } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";
import { BASIS_WORDS, ITEM_WORDS, TYPE_WORDS } from "./price-words.ts";

const PARAMS = [
  "amount_usd",
  "margin_usd",
  "margin_percent",
  "country",
  "number_type",
  "effective_from",
  "note",
];

type Body = OperatorPricesCreateBody;
type Basis = NonNullable<Body["basis"]>;

/** Fields as typed. */
interface Draft {
  readonly item: Body["item"];
  readonly basis: Basis;
  readonly country: string;
  readonly type: string;
  readonly amount: string;
  readonly percent: string;
  readonly margin: string;
  readonly from: string;
  readonly note: string;
}

const EMPTY: Draft = {
  item: "outbound",
  basis: "fixed",
  country: "",
  type: "",
  amount: "",
  percent: "",
  margin: "",
  from: "",
  note: "",
};

function bodyOf(draft: Draft): Body {
  const { item, basis, country, type, amount, percent, margin, from, note } = draft;
  const isCost = basis === "carrier_cost";
  return {
    ...{ item, basis, amount_usd: Number(amount) },
    ...(country ? { country: country.trim().toUpperCase() } : {}),
    ...(type ? { number_type: type as keyof typeof TYPE_WORDS } : {}),
    ...(isCost && percent ? { margin_percent: Number(percent) } : {}),
    ...(isCost && margin ? { margin_usd: Number(margin) } : {}),
    ...(from ? { effective_from: fromDatetimeField(from) } : {}),
    ...(note.trim() ? { note: note.trim() } : {}),
  };
}

/** Sets a price, from now or from a later time on. */
export function PriceDialog(props: { onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY);
  const write = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const save = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.prices.create(bodyOf(draft), { idempotencyKey }),
    {
      stale: ["op-prices"],
      onDone: (price) => {
        props.onClose();
        toast(`${ITEM_WORDS[price.item]}: ${formatPrice(price.price_usd)}.`);
      },
    },
  );
  return (
    <FormDialog
      title="Set a price"
      isOpen
      onClose={props.onClose}
      onSubmit={() => save.mutate(undefined)}
      submit="Set the price"
      busy={save.isPending}
      error={errorBeside(save.error, PARAMS)}
    >
      <Scope draft={draft} write={write} error={save.error} />
      <Amounts draft={draft} write={write} error={save.error} />
      <TextField
        label="From"
        optional
        type="datetime-local"
        help={`At once without a time. In ${zoneName()}.`}
        value={draft.from}
        error={errorAt(save.error, "effective_from")}
        onChange={(event) => write({ from: event.target.value })}
      />
      <TextField
        label="Note"
        optional
        placeholder="Rates of 2027"
        help="Reason of the price, for operators."
        maxLength={NOTE_CHARS_MAX}
        value={draft.note}
        error={errorAt(save.error, "note")}
        onChange={(event) => write({ note: event.target.value })}
      />
    </FormDialog>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly write: (changes: Partial<Draft>) => void;
  readonly error: unknown;
}

function Scope({ draft, write, error }: PartProps) {
  return (
    <>
      <SelectField
        label="Item"
        value={draft.item}
        choices={PRICE_ITEMS.map((value) => ({ value, label: ITEM_WORDS[value] }))}
        onChange={(event) => write({ item: event.target.value as Body["item"] })}
      />
      <div className="row">
        <TextField
          label="Country"
          optional
          maxLength={2}
          placeholder="CA"
          value={draft.country}
          error={errorAt(error, "country")}
          onChange={(event) => write({ country: event.target.value })}
        />
        <SelectField
          label="Number type"
          blank="Both"
          value={draft.type}
          choices={NUMBER_TYPES.map((value) => ({ value, label: TYPE_WORDS[value] }))}
          error={errorAt(error, "number_type")}
          onChange={(event) => write({ type: event.target.value })}
        />
      </div>
    </>
  );
}

function Amounts({ draft, write, error }: PartProps) {
  const isCost = draft.basis === "carrier_cost";
  return (
    <>
      <SelectField
        label="Basis"
        value={draft.basis}
        choices={PRICE_BASES.map((value) => ({ value, label: BASIS_WORDS[value] }))}
        help={
          isCost
            ? "A message pays by the expected cost, and is settled when its receipt names the real one."
            : undefined
        }
        onChange={(event) => write({ basis: event.target.value as Basis })}
      />
      <TextField
        label={isCost ? "Expected cost in US dollars" : "US dollars"}
        required
        inputMode="decimal"
        value={draft.amount}
        error={errorAt(error, "amount_usd")}
        onChange={(event) => write({ amount: event.target.value })}
      />
      {isCost && (
        <div className="row">
          <TextField
            label="Margin in percent"
            optional
            inputMode="numeric"
            value={draft.percent}
            error={errorAt(error, "margin_percent")}
            onChange={(event) => write({ percent: event.target.value })}
          />
          <TextField
            label="Margin in US dollars"
            optional
            inputMode="decimal"
            value={draft.margin}
            error={errorAt(error, "margin_usd")}
            onChange={(event) => write({ margin: event.target.value })}
          />
        </div>
      )}
    </>
  );
}
