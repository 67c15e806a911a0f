import { statement } from "../../core/db/driver/statement.ts";

/** Records a notice; returns no row if it was recorded before. */
export const recordNotice = statement(
  "record_console_notice",
  `insert into console_notices (kind, subject, noticed_at) values ($1, $2, $3)
   on conflict (kind, subject) do nothing returning kind`,
);

/** Deletes a notice whose mail no server took, so that the next run tries again. */
export const forgetNotice = statement(
  "forget_console_notice",
  "delete from console_notices where kind = $1 and subject = $2",
);

export const forgetOldNotices = statement(
  "forget_old_console_notices",
  "delete from console_notices where noticed_at < $1",
);

const NOTICE_RECIPIENTS_MAX = 20;

/** Emails of an account's admins and owners who want notices, longest members first. */
export const adminEmails = statement(
  "list_admin_emails",
  `select u.email from memberships m join users u on u.id = m.user_id
    where m.account_id = $1 and m.role in ('admin', 'owner') and u.mail_notices
    order by m.created_at, u.id limit ${NOTICE_RECIPIENTS_MAX}`,
);

export const operatorEmails = statement(
  "list_operator_emails",
  `select email from users where is_operator and mail_notices order by created_at, id limit ${NOTICE_RECIPIENTS_MAX}`,
);

export const setMailNotices = statement(
  "set_mail_notices",
  "update users set mail_notices = $2 where id = $1",
);
