import {
  appendOnly,
  checkedReference,
  ownSearchPath,
  tenantTable,
  type CheckedReference,
} from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/**
 * The published version of an automation, and enrollments. An enrollment is written when it begins and when it ends. While it
 * lasts, its position is one narrow row, and each finished step is inserted.
 */
export class Enrollments extends Migration {
  override up(): void {
    const statements = [
      ...publishing,
      ...enrollments,
      ...positions,
      ...dueWork,
      ...records,
      ...checkedReference(enrollmentsOfVersion),
      ...ownSearchPath(),
    ]
    for (const statement of statements) this.addSql(statement)
  }
}

export const enrollmentsOfVersion: CheckedReference = {
  name: 'enrollments_of_version',
  table: 'enrollments',
  columns: ['workspace_id', 'version_id'],
  to: 'automation_versions',
  key: ['workspace_id', 'id'],
  onDelete: 'never',
}

const publishing = [
  // The four describe the last publication, and are set together. Only with the status published they count: then the
  // published version is the current one. trigger_subject_id is the audience or tag of the trigger.
  `alter table automations
     add column published_version_id uuid,
     add column published_by_wallet_id text,
     add column published_at timestamptz,
     add column trigger_type text,
     add column trigger_subject_id uuid,
     add check (num_nulls(published_version_id, published_by_wallet_id, published_at, trigger_type) in (0, 4)),
     add check (status not in ('published', 'paused') or published_version_id is not null)`,
  // Finds the automations that an event enrols into.
  `create index automations_by_trigger on automations (workspace_id, trigger_subject_id) where status = 'published'`,
]

const enrollments = [
  // The state of an enrollment is that of its position, or else end_state. Only replay removes an end.
  `create table enrollments (
     workspace_id uuid not null,
     id uuid not null,
     automation_id uuid not null,
     version_id uuid not null,
     contact_id uuid not null,
     trigger_type text not null,
     audience_id uuid,
     synthetic_context_id text,
     idempotency_key text,
     correlation_id text not null,
     trace jsonb not null,
     enrolled_at timestamptz not null,
     end_state text check (end_state in ('completed', 'cancelled', 'failed')),
     ended_at timestamptz,
     primary key (workspace_id, id),
     foreign key (workspace_id, automation_id) references automations (workspace_id, id),
     check ((end_state is null) = (ended_at is null)),
     check ((idempotency_key is null) = (synthetic_context_id is null))) with (fillfactor = 90)`,
  `create index enrollments_of_automation on enrollments (workspace_id, automation_id, id)`,
  `create unique index enrollments_by_key on enrollments (workspace_id, idempotency_key) where idempotency_key is not null`,
  ...tenantTable('enrollments'),
]

const positions = [
  // One row while a contact is in an automation. Updates change no indexed column, so they write no index entry.
  `create table enrollment_positions (
     workspace_id uuid not null,
     enrollment_id uuid not null,
     automation_id uuid not null,
     contact_id uuid not null,
     state text not null check (state in ('active', 'waiting', 'paused')),
     node_key text not null,
     step_id uuid not null,
     step_number integer not null check (step_number >= 1),
     due_at timestamptz not null,
     wait_until timestamptz,
     arrived_at timestamptz not null,
     primary key (workspace_id, enrollment_id),
     constraint enrollment_positions_once unique (workspace_id, contact_id, automation_id),
     check (state <> 'waiting' or wait_until is not null)) with (fillfactor = 70)`,
  ...tenantTable('enrollment_positions'),
]

const dueWork = [
  // Rows are inserted and deleted, never updated. A row counts if the position has the same due_at and is not paused. While a
  // worker has a set of contacts, they have no row here.
  `create table due_enrollments (
     workspace_id uuid not null,
     due_at timestamptz not null,
     enrollment_id uuid not null,
     primary key (workspace_id, due_at, enrollment_id))`,
  ...tenantTable('due_enrollments'),
  // Contacts that were due while their automation was not published. They are due again when it is published.
  `create table held_enrollments (
     workspace_id uuid not null,
     automation_id uuid not null,
     enrollment_id uuid not null,
     primary key (workspace_id, automation_id, enrollment_id))`,
  ...tenantTable('held_enrollments'),
  // One row for each set that a worker has taken. After lease_until its contacts are due again.
  `create table enrollment_claims (
     workspace_id uuid not null,
     id uuid not null,
     enrollment_ids uuid[] not null,
     holder text not null,
     lease_until timestamptz not null,
     primary key (workspace_id, id))`,
  ...tenantTable('enrollment_claims'),
]

const records = [
  // Finished steps. A replay repeats a node as another step with the next number.
  `create table enrollment_steps (
     workspace_id uuid not null,
     enrollment_id uuid not null,
     number integer not null check (number >= 1),
     step_id uuid not null,
     node_key text not null,
     node_type text not null,
     outcome text not null,
     reasons text[] not null default '{}',
     branch text,
     message_id uuid,
     started_at timestamptz not null,
     finished_at timestamptz not null,
     primary key (workspace_id, enrollment_id, number))`,
  ...tenantTable('enrollment_steps'),
  ...appendOnly('enrollment_steps'),
  // What happened to an enrollment besides its steps. That it began and completed is in enrollments.
  `create table enrollment_events (
     workspace_id uuid not null,
     enrollment_id uuid not null,
     id uuid not null,
     event text not null check (event in ('paused', 'resumed', 'cancelled', 'replayed', 'failed')),
     actor text not null,
     reason text,
     step_id uuid,
     at timestamptz not null,
     primary key (workspace_id, enrollment_id, id))`,
  ...tenantTable('enrollment_events'),
  ...appendOnly('enrollment_events'),
]
