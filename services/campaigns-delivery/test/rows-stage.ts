import { contexts, newId, openDatabase, type Context } from '@lettergate/database'
import { createService } from '@lettergate/service'
import { openStage } from '@lettergate/stage'
import { schema } from '../src/db/migrations.ts'
import { entities } from '../src/entities.ts'

/** The tables of this service with its production role, for tests of single statements. */
export async function openRows() {
  const stage = await openStage({ schemas: [schema] })
  const service = createService('campaigns-delivery', { logLevel: 'silent' })
  const db = await service.use(
    openDatabase(service, {
      url: stage.databaseUrl('campaigns'),
      schema: 'campaigns',
      entities,
      poolMax: 20,
      longPoolMax: 4,
    }),
  )
  const system: Context<object> = contexts(db, service, {}).ofSystem('test')

  return {
    stage,
    system,
    in: (workspaceId: string) => system.inWorkspace(workspaceId),
    /** Inserts a run that is being sent, with this many due batches. */
    async run(workspaceId: string, batches: number, connectionId = newId()) {
      const [runId, campaignId] = [newId(), newId()]
      await stage.query(
        `with campaign as (
           insert into campaigns.campaigns (workspace_id, id, status, current_version, created_by) values ($1, $2, 'sending', 1, 'test')),
         run as (
           insert into campaigns.campaign_runs (workspace_id, id, campaign_id, snapshot_id, content_version_id, sender_identity_id, state, scheduled_for, scheduled_by, correlation_id, connection_id, domain_name)
           values ($1, $3, $2, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'sending', now(), 'test', 'test', $4, 'mail.acme.test'))
         insert into campaigns.delivery_batches (workspace_id, run_id, batch) select $1, $3, n from generate_series(1, $5::int) n`,
        [workspaceId, campaignId, runId, connectionId, batches],
      )
      return { runId, connectionId }
    },
    async close() {
      await service.stop()
      await stage.close()
    },
  }
}

export type RowsStage = Awaited<ReturnType<typeof openRows>>
