import { ownSearchPath } from '@lettergate/database/ddl'

/** The tables with which a service publishes and consumes events in its own transactions. They hold ids and facts, no tenant data. */
export const eventTables = (): string[] => [
  `create table outbox (
     id uuid primary key,
     event text not null,
     workspace_id uuid,
     payload bytea not null,
     headers jsonb not null,
     created_at timestamptz not null default now(),
     published_at timestamptz)`,
  `create index outbox_unpublished on outbox (id) where published_at is null`,
  `create index outbox_published on outbox (published_at) where published_at is not null`,
  `create table relay_state (stream text primary key, stream_created_at timestamptz not null)`,
  `create table inbox (
     consumer text not null,
     event_id uuid not null,
     handled_at timestamptz not null default now(),
     primary key (consumer, event_id))`,
  `create index inbox_handled_at on inbox (handled_at)`,
  `create table dead_letters (
     id uuid primary key,
     consumer text not null,
     subject text not null,
     event_id uuid not null,
     payload bytea not null,
     headers jsonb not null,
     error text not null,
     created_at timestamptz not null default now(),
     replayed_at timestamptz,
     unique (consumer, event_id))`,
]

/** Adds the state of a dead letter: dead, replaying, replayed, or discarded with a reason. */
export const deadLetterStates = (): string[] => [
  `alter table dead_letters
     add column attempts integer not null default 1,
     add column replay_requested_at timestamptz,
     add column discarded_at timestamptz,
     add column discard_reason text`,
  `alter table dead_letters
     add column state text not null generated always as (
       case when discarded_at is not null then 'discarded'
            when replayed_at is not null then 'replayed'
            when replay_requested_at is not null then 'replaying'
            else 'dead' end) stored,
     add check ((discarded_at is null) = (discard_reason is null)),
     add check (discarded_at is null or replayed_at is null)`,
  `create index dead_letters_replaying on dead_letters (consumer, id) where state = 'replaying'`,
]

/**
 * An outbox row is written once and not updated. A trigger inserts a row into `outbox_pending` for each waiting event, and the
 * relay deletes it. `outbox_published` has the time of publishing, one row for each transaction of the relay.
 */
export const outboxWrittenOnce = (): string[] => [
  `lock table outbox in access exclusive mode`,
  `drop index outbox_unpublished, outbox_published`,
  `create table outbox_pending (
     id uuid primary key,
     payload_bytes integer not null,
     waits_since timestamptz not null default now())`,
  `create table outbox_published (
     published_at timestamptz not null default now(),
     ids uuid[] not null)`,
  // Random bits do not compress.
  `alter table outbox_published alter column ids set storage external`,
  `create index outbox_published_at on outbox_published (published_at)`,
  `insert into outbox_pending (id, payload_bytes, waits_since) select id, octet_length(payload), created_at from outbox where published_at is null`,
  `insert into outbox_published (published_at, ids)
   select max(published_at), array_agg(id) from outbox where published_at is not null group by date_trunc('minute', published_at)`,
  `alter table outbox drop column published_at`,
  `create function note_pending() returns trigger language plpgsql set search_path from current as $$
   begin
     insert into outbox_pending (id, payload_bytes) select id, octet_length(payload) from now_rows;
     return null;
   end $$`,
  `create trigger outbox_noted after insert on outbox
     referencing new table as now_rows for each statement execute function note_pending()`,
  ...ownSearchPath(),
]

/** Keeps the headers of an event as the text that was written. They are never searched, and `jsonb` is slower to write and to read. */
export const outboxHeadersAsText = (): string[] => [
  `alter table outbox alter column headers type json using headers::json`,
]

/**
 * A row of `outbox_pending` has the events that one transaction published, as the text that is sent: the relay reads neither the
 * outbox nor each event. An insert into `outbox` needs this row too.
 */
export const outboxGroups = (): string[] => [
  `lock table outbox, outbox_pending in access exclusive mode`,
  `drop trigger outbox_noted on outbox`,
  `drop function note_pending()`,
  `alter table outbox_pending
     add column event text,
     add column type text,
     add column ids uuid[],
     add column event_count integer,
     add column events text,
     add column created_at timestamptz`,
  // Neither ids nor base64 compress well.
  `alter table outbox_pending alter column ids set storage external, alter column events set storage external`,
  `update outbox_pending p
      set event = o.event, type = o.headers->>'type', ids = array[o.id], event_count = 1, created_at = o.created_at,
          events = json_strip_nulls(json_build_object(
            'workspaceid', o.workspace_id,
            'correlationid', o.headers->>'correlationId',
            'actor', o.headers->>'actor',
            'actorkind', o.headers->>'actorKind',
            'authmethod', o.headers->>'authMethod',
            'events', json_build_array(
              jsonb_build_object('id', o.id, 'data', translate(encode(o.payload, 'base64'), E'\n', '')) || coalesce((o.headers->'trace')::jsonb, '{}'))))::text
     from outbox o where o.id = p.id`,
  `alter table outbox_pending
     alter column event set not null,
     alter column type set not null,
     alter column ids set not null,
     alter column event_count set not null,
     alter column events set not null,
     alter column created_at set not null`,
]
