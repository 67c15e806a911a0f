-- Editions of the table of lawful hours that the operator set. The newest is in force; none: the built-in table.
create table quiet_laws (
  id uuid primary key,
  edition text not null,
  hours json not null,
  created_at timestamptz not null
);
