import { column, columns, leftJoined, nullable, sql, statement, type Em } from '@lettergate/database'
import { moment } from '@lettergate/values/moment'
import { Audience } from '../audiences/audience.entity.ts'
import { ConsentEvent } from './consent-event.entity.ts'
import { ConsentEvidence, evidenceOf } from './consent-evidence.entity.ts'

const selectNewest = statement('select-newest-consent-events', {
  ...columns(ConsentEvent),
  email: nullable(column.text()),
  audience_name: nullable(columns(Audience, 'name').name),
  ...leftJoined(columns(ConsentEvidence, 'evidence')),
})

/** The newest events e of the consent record that match all conditions, with evidence that was not erased. */
export async function newestConsentEvents(
  em: Em,
  workspaceId: string,
  conditions: readonly ReturnType<typeof sql>[],
  limit: number,
) {
  const found = await selectNewest.rows(
    em,
    sql`with page as materialized (
          select e.* from consent_events e
           where ${sql.join([sql`e.workspace_id = ${workspaceId}`, ...conditions], sql` and `)}
           order by e.id desc limit ${limit})
        select e.*, c.email, a.name as audience_name, d.evidence
          from page e
          left join lateral (select * from contacts k
                              where k.workspace_id = ${workspaceId} and k.id = e.contact_id limit 1) c on true
          left join audiences a on a.workspace_id = ${workspaceId} and a.id = e.audience_id
          left join lateral (${evidenceOf(workspaceId, sql`e.id`)}) d on true
         order by e.id desc`,
  )
  return found.map((event) => ({
    id: event.id,
    contactId: event.contact_id,
    email: event.email ?? undefined,
    kind: event.kind,
    scope: event.scope,
    audienceId: event.audience_id ?? undefined,
    audienceName: event.audience_name ?? undefined,
    suppressionId: event.suppression_id ?? undefined,
    reason: event.reason ?? undefined,
    source: event.source,
    wordingVersion: event.wording_version ?? undefined,
    evidence: event.evidence ?? undefined,
    evidenceSha256: event.evidence_sha256 ?? undefined,
    formIdentifier: event.form_identifier ?? undefined,
    sourceApplication: event.source_application ?? undefined,
    actor: event.actor,
    actorKind: event.actor_kind,
    correlationId: event.correlation_id,
    occurredAt: moment(event.occurred_at),
    recordedAt: moment(event.recorded_at),
  }))
}
