import { defineEntity, p } from '@mikro-orm/core'
import { column, columns, leftJoined, nullable, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { ConsentEvidence, evidenceOf } from './consent-evidence.entity.ts'
import type { RecordedEvent, Seal } from './seal-hashes.ts'

/** The chain over the consent record: append-only, in the database too. */
export const ConsentSeal = defineEntity({
  name: 'ConsentSeal',
  tableName: 'consent_seals',
  properties: {
    workspaceId: p.uuid().primary(),
    position: p.bigint().primary(),
    eventId: p.uuid(),
    eventSha256: p.text(),
    contactId: p.uuid(),
    contactPosition: p.bigint(),
    previousContactSha256: p.text().nullable(),
    previousSha256: p.text().nullable(),
    sha256: p.text(),
    sealedAt: p.datetime(),
  },
})

/** The events of one statement that wait for their seals, with their contacts; a trigger of consent_events adds them. */
export const UnsealedConsentBatch = defineEntity({
  name: 'UnsealedConsentBatch',
  tableName: 'unsealed_consent_batches',
  properties: {
    workspaceId: p.uuid().primary(),
    arrival: p.bigint().primary(),
    eventCount: p.integer(),
    eventIds: p.array<string>().columnType('uuid[]'),
    contactIds: p.array<string>().columnType('uuid[]'),
  },
})

const sealedColumns = {
  seal: column.json<Seal>(),
  event: nullable(column.json<RecordedEvent>()),
  ...leftJoined(columns(ConsentEvidence, 'salt', 'evidence')),
  /** the hash of the contact's own seal before this one; null when there is none */
  contact_link: nullable(columns(ConsentSeal, 'sha256').sha256),
}
const selectSealed = statement('select-seals-with-rows', sealedColumns)

/** A seal with its event and evidence, as they are in the tables now. */
export type SealedRow = RowOf<typeof sealedColumns>

type Fragment = ReturnType<typeof sql>

/** Seals with their events and evidence, as they are in the tables now, and the previous seal of the contact. */
const withRows = (em: Em, workspaceId: string, seals: Fragment, order: Fragment) =>
  selectSealed.rows(
    em,
    sql`select to_jsonb(s) as seal, case when e.id is not null then to_jsonb(e) end as event,
               k.salt, k.evidence, b.sha256 as contact_link
          from (${seals}) s
          left join lateral (select * from consent_events o where o.workspace_id = ${workspaceId} and o.id = s.event_id limit 1) e on true
          left join lateral (${evidenceOf(workspaceId, sql`s.event_id`)}) k on true
          left join lateral (select sha256 from consent_seals o where o.workspace_id = ${workspaceId} and o.contact_id = s.contact_id
                                and o.contact_position = s.contact_position - 1 limit 1) b on true
         order by ${order}`,
  )

/** The next seals of a workspace's chain. */
export const sealsAfter = (em: Em, workspaceId: string, position: number, limit: number) =>
  withRows(
    em,
    workspaceId,
    sql`select * from consent_seals where workspace_id = ${workspaceId} and position > ${position} order by position limit ${limit}`,
    sql`s.position`,
  )

/** A contact's own chain from its beginning. */
export const sealsOfContact = (em: Em, workspaceId: string, contactId: string) =>
  withRows(
    em,
    workspaceId,
    sql`select * from consent_seals where workspace_id = ${workspaceId} and contact_id = ${contactId}`,
    sql`s.contact_position`,
  )
