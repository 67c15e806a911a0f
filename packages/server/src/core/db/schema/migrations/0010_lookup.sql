-- Number ranges from the operator's files, the same for all accounts. Rows of a load take effect
-- when the load finishes (loaded_at); until then the rows of the previous load count.
create table numbering_loads (
  id uuid primary key,
  started_at timestamptz not null,
  -- Null until the whole file is loaded.
  loaded_at timestamptz
);

create table numbering_ranges (
  load_id uuid not null,
  -- Area code and exchange: the first six digits of ten.
  npa_nxx integer not null,
  line_type text not null check (line_type in ('mobile', 'landline', 'voip', 'toll_free', 'unknown')),
  carrier text,
  locality text,
  region text,
  primary key (load_id, npa_nxx)
);

-- Results of the connected lookup service by phone number, shared by all accounts.
create table lookup_findings (
  phone_number text primary key,
  line_type text not null,
  carrier text,
  ported boolean,
  source text not null,
  checked_at timestamptz not null
);
create index lookup_findings_by_age on lookup_findings (checked_at);
