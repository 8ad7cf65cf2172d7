import { Migration } from '@mikro-orm/migrations'
import { appendOnly, tenantTable } from '@lettergate/database/ddl'
import { evidenceSha256, newSalt } from '../../consent-record/seal-hashes.ts'

const tables = [
  // The evidence of an event is stored separately, so that erasing it changes neither the event nor its seal.
  `create table consent_evidence (
     workspace_id uuid not null,
     event_id uuid not null,
     salt text not null check (salt ~ '^[0-9a-f]{32}$'),
     evidence jsonb not null,
     primary key (workspace_id, event_id),
     foreign key (workspace_id, event_id) references consent_events (workspace_id, id))`,

  // Events without a seal, in order of arrival. Events of one contact are in commit order.
  `create table unsealed_consent_events (
     workspace_id uuid not null,
     arrival bigint generated always as identity,
     event_id uuid not null,
     contact_id uuid not null,
     primary key (workspace_id, arrival))`,

  // One seal an event: its hash, chained to the one before it in the workspace and to the contact's own one before it.
  `create table consent_seals (
     workspace_id uuid not null,
     position bigint not null check (position > 0),
     event_id uuid not null,
     event_sha256 text not null check (event_sha256 ~ '^[0-9a-f]{64}$'),
     contact_id uuid not null,
     contact_position bigint not null check (contact_position > 0),
     previous_contact_sha256 text check ((contact_position = 1) = (previous_contact_sha256 is null)),
     previous_sha256 text check ((position = 1) = (previous_sha256 is null)),
     sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
     sealed_at timestamptz not null,
     primary key (workspace_id, position),
     constraint consent_seals_event unique (workspace_id, event_id),
     constraint consent_seals_contact unique (workspace_id, contact_id, contact_position),
     foreign key (workspace_id, event_id) references consent_events (workspace_id, id))`,

  // The progress of the current comparison of record and seals, and the end of the last one.
  `create table consent_record_checks (
     workspace_id uuid primary key,
     due_at timestamptz not null default now(),
     position bigint not null default 0,
     sha256 text,
     event_id uuid,
     known_position bigint not null default 0,
     known_sha256 text,
     broken_at timestamptz)`,
]

/** Every insert into the record queues the event for sealing, in the same statement. */
const queue = [
  `create function contacts.queue_for_seal() returns trigger language plpgsql as $$
     begin
       insert into contacts.unsealed_consent_events (workspace_id, event_id, contact_id)
       select workspace_id, id, contact_id from added;
       return null;
     end $$`,
  `create trigger consent_events_unsealed after insert on consent_events referencing new table as added
     for each statement execute function contacts.queue_for_seal()`,
]

export class ConsentSeals extends Migration {
  override name = '002-consent-seals'

  override async up(): Promise<void> {
    await this.execute(`select set_config('app.system', '002-consent-seals', true)`)
    for (const statement of tables) await this.execute(statement)
    await this.execute(
      `alter table consent_events add column evidence_sha256 text check (evidence_sha256 ~ '^[0-9a-f]{64}$')`,
    )
    await this.execute('alter table consent_events disable trigger consent_events_append_only')
    while (await this.#moveEvidence()) {
      // until no event holds its own evidence
    }
    await this.execute('alter table consent_events enable trigger consent_events_append_only')
    await this.execute('alter table consent_events drop column evidence')
    await this.execute(
      `insert into unsealed_consent_events (workspace_id, event_id, contact_id)
       select workspace_id, id, contact_id from consent_events order by workspace_id, id`,
    )
    const tenantTables = ['consent_evidence', 'unsealed_consent_events', 'consent_seals', 'consent_record_checks']
    for (const statement of [...queue, ...tenantTables.flatMap(tenantTable), ...appendOnly('consent_seals')]) {
      await this.execute(statement)
    }
    await this.execute(`select set_config('app.system', '', true)`)
  }

  /** Moves the evidence of up to 1,000 events; hashed here, because the database has no RFC 8785. */
  async #moveEvidence(): Promise<boolean> {
    const held = await this.execute(
      `select workspace_id, id as event_id, evidence from consent_events
        where evidence is not null and evidence_sha256 is null limit 1000`,
    )
    const moved = (held as { workspace_id: string; event_id: string; evidence: unknown }[]).map((row) => {
      const salt = newSalt()
      const { workspace_id, event_id, evidence } = row
      return { workspace_id, event_id, salt, sha256: evidenceSha256(salt, evidence) }
    })
    if (moved.length === 0) return false
    await this.execute(
      `with moved as (select * from jsonb_to_recordset(?::jsonb) as m (workspace_id uuid, event_id uuid, salt text, sha256 text)),
            kept as (
              insert into consent_evidence (workspace_id, event_id, salt, evidence)
              select m.workspace_id, m.event_id, m.salt, e.evidence
                from moved m join consent_events e on e.workspace_id = m.workspace_id and e.id = m.event_id)
       update consent_events e set evidence_sha256 = m.sha256 from moved m
        where e.workspace_id = m.workspace_id and e.id = m.event_id`,
      [JSON.stringify(moved)],
    )
    return true
  }
}
