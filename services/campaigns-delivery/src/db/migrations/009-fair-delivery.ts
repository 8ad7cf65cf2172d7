import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

/** Limits the calls of one connection over all workers, and lets the publisher read only open batches. */
export class FairDelivery extends Migration {
  override up(): void {
    for (const statement of [...slots, ...turns, ...holds]) this.addSql(statement)
  }
}

const slots = [
  // A call under way takes a slot, which is free afterwards. Workers of the previous release use none.
  `alter table hand_offs add column slot smallint check (slot > 0)`,
  `create unique index hand_offs_slots on hand_offs (workspace_id, connection_id, slot) where state = 'claimed'`,
  // The time until which the rate is used up. Only with a configured rate.
  `create table connection_paces (
     workspace_id uuid not null,
     connection_id uuid not null,
     paid_until timestamptz not null,
     primary key (workspace_id, connection_id)) with (fillfactor = 50)`,
  ...tenantTable('connection_paces'),
]

const turns = [
  // The last route of a run. The publisher checks its cooldown and slots.
  `alter table campaign_runs add column connection_id uuid, add column domain_name text`,
  `create index delivery_batches_waiting on delivery_batches (run_id, due_at, batch) where done_at is null and published_at is null`,
  `create index delivery_batches_published on delivery_batches (run_id, published_at) where done_at is null and published_at is not null`,
]

const holds = [
  // A domain that the provider refuses, while its connection works.
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
