import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

/** What holds the calls of one connection within bounds over all workers, and lets the publisher look at what is open, not at everything. */
export class FairDelivery extends Migration {
  override up(): void {
    for (const statement of [...slots, ...turns, ...holds]) this.addSql(statement)
  }
}

const slots = [
  // A slot is taken by a call that is under way, and free once it is not, whoever says so. Workers of before have none.
  `alter table hand_offs add column slot smallint check (slot > 0)`,
  `create unique index hand_offs_slots on hand_offs (workspace_id, connection_id, slot) where state = 'claimed'`,
  // Paid for until then; only with a configured rate.
  `create table connection_paces (
     workspace_id uuid not null,
     connection_id uuid not null,
     paid_until timestamptz not null,
     primary key (workspace_id, connection_id)) with (fillfactor = 50)`,
  ...tenantTable('connection_paces'),
]

const turns = [
  // Where the messages of a run went last: what the publisher asks the rests and slots of.
  `alter table campaign_runs add column connection_id uuid, add column domain_name text`,
  `create index delivery_batches_waiting on delivery_batches (run_id, due_at, batch) where done_at is null and published_at is null`,
  `create index delivery_batches_published on delivery_batches (run_id, published_at) where done_at is null and published_at is not null`,
]

const holds = [
  // A domain that the provider refuses to send for, while the connection is fine.
  `create table domain_holds (
     workspace_id uuid not null,
     connection_id uuid not null,
     domain_name text not null,
     until timestamptz not null,
     failures integer not null,
     reason text not null,
     updated_at timestamptz not null default now(),
     primary key (workspace_id, connection_id, domain_name))`,
  ...tenantTable('domain_holds'),
]
