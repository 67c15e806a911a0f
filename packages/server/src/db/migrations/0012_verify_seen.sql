-- What every rule saw, as `rule count threshold,…`: a third of the text that JSON took, in a row
-- that is written with every code.
alter table verification_decisions add column seen text;
update verification_decisions d set seen =
  (select coalesce(string_agg(concat_ws(' ', r->>'rule', r->>'count', r->>'threshold'), ','), '')
     from json_array_elements(d.rules) as r);
alter table verification_decisions alter column seen set not null;
alter table verification_decisions drop column rules;
