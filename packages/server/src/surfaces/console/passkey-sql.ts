import { statement } from "../../core/db/driver/statement.ts";

export const listPasskeys = statement(
  "list_passkeys",
  "select id, credential_id, transports, name, created_at, used_at from passkeys where user_id = $1 order by created_at, id limit 100",
);

/** Inserts a passkey unless the user has $9 of them, or the key is known. */
export const insertPasskey = statement(
  "insert_passkey",
  `insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
   select $1, $2, $3, $4, $5, $6, $7, $8
    where (select count(*) from passkeys where user_id = $2) < $9::integer
   on conflict (credential_id) do nothing returning id`,
);

export const findPasskey = statement(
  "find_passkey",
  `select p.id, p.user_id, p.credential_id, p.public_key, p.counter, p.transports
     from passkeys p where p.credential_id = $1`,
);

/** Counts a use. No row: the key was removed, or another use counted further meanwhile. */
export const usePasskey = statement(
  "use_passkey",
  `update passkeys set counter = $2, used_at = $3
    where id = $1 and (counter < $2 or $2 = 0 and counter = 0) returning id`,
);

export const deletePasskey = statement(
  "delete_passkey",
  "delete from passkeys where id = $1 and user_id = $2 returning name",
);

/** Returns no row if the challenge was answered before. Deletes those that are too old to be accepted. */
export const answerChallenge = statement(
  "answer_passkey_challenge",
  `with forgotten as (
     delete from passkey_challenges where answered_at < $3 and challenge <> $1
   )
   insert into passkey_challenges (challenge, answered_at) values ($1, $2)
   on conflict (challenge) do nothing returning challenge`,
);

/** Recovery codes of a user who has none yet. */
export const setFirstRecoveryCodes = statement(
  "set_first_recovery_codes",
  "update users set recovery_codes = $2 where id = $1 and recovery_codes = '{}' returning id",
);

/** Without a second factor, recovery codes would be a second password. */
export const dropRecoveryCodes = statement(
  "drop_recovery_codes",
  `update users set recovery_codes = '{}'
    where id = $1 and totp_secret is null and not exists (select from passkeys p where p.user_id = $1)`,
);
