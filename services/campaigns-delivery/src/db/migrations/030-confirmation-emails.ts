import { tenantTable } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

const statements = [
  // The one email of a sign-up that waits for its confirmation. It names ids only.
  `create table confirmation_emails (
     workspace_id uuid not null,
     id uuid not null,
     contact_id uuid not null,
     audience_id uuid not null,
     sender_identity_id uuid not null,
     content_version_id uuid not null,
     is_waiting boolean not null default true,
     due_at timestamptz not null default clock_timestamp(),
     expires_at timestamptz not null,
     correlation_id text not null,
     created_at timestamptz not null default clock_timestamp(),
     primary key (workspace_id, id),
     foreign key (workspace_id, content_version_id) references content_versions (workspace_id, id))`,
  `create index confirmation_emails_contact on confirmation_emails (workspace_id, contact_id)`,
  `create index confirmation_emails_due on confirmation_emails (due_at) where is_waiting`,
  ...tenantTable('confirmation_emails'),
  `create trigger confirmation_emails_kept before delete
     or update of workspace_id, id, contact_id, audience_id, sender_identity_id, content_version_id, expires_at, correlation_id, created_at
     on confirmation_emails for each row execute function refuse_change()`,
  `create trigger confirmation_emails_never_truncated before truncate on confirmation_emails for each statement execute function refuse_change()`,
  `alter table hand_offs drop constraint hand_offs_kind_check,
     add constraint hand_offs_kind_check check (kind in ('run', 'test_send', 'automation', 'confirmation'))`,
]

/** The emails of confirmed opt-in. */
export class ConfirmationEmails extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement)
  }
}
