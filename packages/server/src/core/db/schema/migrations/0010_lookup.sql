-- What the operator's files say of ranges of numbers. A file's rows are written under an id of its
-- own while it is read, and count from the moment that it is finished: until then, and if it never
-- is, those of the file before it do. Directories, the same for all accounts.
create table numbering_loads (
  id uuid primary key,
  started_at timestamptz not null,
  -- Null until all of it has been read.
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
