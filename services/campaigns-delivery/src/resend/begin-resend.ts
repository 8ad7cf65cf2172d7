import { sql as now } from '@mikro-orm/core'
import { AuditRecordedSchema, RunScheduledSchema } from '@lettergate/contracts/events/v1/events'
import { columns, newId, newIdInSql, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import { carrier } from '@lettergate/service/tracing'
import { eraseLateRecipients, lockErasures } from '../contacts/erased-contact.entity.ts'
import type { Ctx } from '../ctx.ts'
import { Campaign } from '../drafts/campaign.entity.ts'
import { HandOff } from '../delivery/hand-off.entity.ts'
import { endUnknownAlerts } from '../delivery/unknown-alert.ts'
import { takeKey } from '../idempotency/idempotency-key.entity.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { insertBatches } from '../runs/delivery-batch.entity.ts'
import { campaignStatusFor } from '../runs/run-states.ts'
import { insertSnapshot } from '../schedule/snapshot.entity.ts'
import type { ResendRequest, ResentRun } from './resend-plan.ts'
import { requireCount } from './resend.ts'
import { resendable } from './resendable.ts'

const insertRecipients = statement('insert-resent-recipients')
const selectUnknown = statement('select-unknown-hand-offs-of-run', columns(HandOff, 'id', 'lookups'))

/**
 * Creates a new run, due now, for the recipients who are unknown in this run, and takes the key. Delivery treats it like any
 * other run. The original run is not changed; the alerts about its unknown messages end. Returns the id of the new run.
 */
export async function beginResend(em: Em, ctx: Ctx, request: ResendRequest, run: ResentRun): Promise<string> {
  const { workspaceId, caller, config } = ctx
  const [runId, snapshotId] = [newId(), newId()]
  if (!(await takeKey(em, workspaceId, { ...request, resourceId: runId })))
    throw new Fault('unavailable', 'key_taken_meanwhile', 'The same request is being carried out. Send it again.')
  // The run starts in `building`, because the campaign webhook reports a run when it leaves that state.
  await em.insert(CampaignRun, {
    workspaceId,
    id: runId,
    campaignId: run.campaign_id,
    snapshotId,
    contentVersionId: run.content_version_id,
    senderIdentityId: run.sender_identity_id,
    state: 'building',
    scheduledFor: now.now(),
    scheduledBy: caller.actor,
    correlationId: caller.correlationId,
    trace: carrier(),
    resendsRunId: run.id,
  })
  await lockErasures(em, workspaceId)
  const count = await insertRecipients.execute(
    em,
    sql`insert into run_recipients (workspace_id, run_id, id, batch, contact_id, audience_id, normalized_email)
        select ${workspaceId}::uuid, ${runId}::uuid, ${newIdInSql}, (row_number() over (order by u.id) - 1) / ${config.deliveryBatchSize}::integer,
               u.contact_id, u.audience_id, u.normalized_email
          from (${resendable(workspaceId, run.id)}) as u`,
  )
  requireCount(request.count, count)
  await eraseLateRecipients(em, workspaceId, runId)
  await insertSnapshot(em, {
    workspaceId,
    run: { id: runId, campaignId: run.campaign_id, snapshotId },
    draftVersion: run.draft_version,
    audienceIds: run.audience_ids,
    counts: { included: count, excluded: 0, exclusionCounts: {} },
  })
  await insertBatches(em, workspaceId, runId, Math.ceil(count / config.deliveryBatchSize))
  await em.nativeUpdate(CampaignRun, { workspaceId, id: runId }, { state: 'scheduled', includedCount: count })
  await em.nativeUpdate(Campaign, { workspaceId, id: run.campaign_id }, { status: campaignStatusFor('scheduled') })
  await endUnknownAlerts(
    em,
    await selectUnknown.rows(
      em,
      sql`select id, lookups from hand_offs where workspace_id = ${workspaceId} and origin_id = ${run.id} and state = 'unknown'`,
    ),
  )
  await publish(em, RunScheduledSchema, { runId, campaignId: run.campaign_id })
  await publish(em, AuditRecordedSchema, {
    action: 'campaign_run_unknown_resent',
    subjectType: 'campaign_run',
    subjectId: run.id,
    actor: caller.actor,
    detail: { campaign_id: run.campaign_id, resent_by_run_id: runId, count },
  })
  return runId
}
