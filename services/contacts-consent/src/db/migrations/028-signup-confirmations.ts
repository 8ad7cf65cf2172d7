import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

const statements = [
  // Both or none: the email that asks a new subscriber of this source to confirm the sign-up.
  `alter table subscription_sources
     add column confirmation_sender_identity_id uuid,
     add column confirmation_content_version_id uuid,
     add check ((confirmation_sender_identity_id is null) = (confirmation_content_version_id is null))`,
  `alter table source_receipts drop constraint source_receipts_reason_class_check,
     add constraint source_receipts_reason_class_check check (reason_class in ('review_legacy_contact', 'review_consent_conflict',
       'confirmation_pending', 'suppressed_platform', 'suppressed_workspace', 'suppressed_audience'))`,
  // One row for each confirmation email that was asked for, by ids. A row that is still pending after its expiry has expired.
  `create table signup_confirmations (
     workspace_id uuid not null,
     id uuid not null,
     source_id uuid not null,
     contact_id uuid not null,
     audience_id uuid not null,
     consent_event_id uuid not null,
     state text not null default 'pending' check (state in ('pending', 'confirmed', 'withdrawn', 'expired')),
     requested_at timestamptz not null default now(),
     expires_at timestamptz not null,
     ended_at timestamptz,
     confirmed_event_id uuid,
     primary key (workspace_id, id),
     foreign key (workspace_id, source_id) references subscription_sources (workspace_id, id),
     foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade,
     foreign key (workspace_id, audience_id) references audiences (workspace_id, id) on delete cascade,
     check ((state = 'pending') = (ended_at is null)),
     check ((state = 'confirmed') = (confirmed_event_id is not null)))`,
  `create unique index signup_confirmations_pending on signup_confirmations (workspace_id, contact_id, audience_id)
    where state = 'pending'`,
  `create index signup_confirmations_contact on signup_confirmations (workspace_id, contact_id, requested_at)`,
  `create index signup_confirmations_audience on signup_confirmations (workspace_id, audience_id)`,
  ...tenantTable('signup_confirmations'),
]

/** Confirmed opt-in of subscription sources. */
export class SignupConfirmations extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement)
  }
}
