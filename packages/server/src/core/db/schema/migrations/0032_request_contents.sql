-- A refused request shows what was wrong with it: the error's field and sentence, and, where the
-- installation keeps them, the request's and the answer's bodies, redacted and cut at 2 KB.
alter table request_log
  add column param text,
  add column message text,
  add column body text,
  add column answer text;
