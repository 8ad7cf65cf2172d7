import { afterAll, beforeAll, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openStage, until, type Stage } from '@lettergate/stage'
import { loadConfig } from '../../src/config.ts'
import { schema } from '../../src/db/migrations.ts'
import { start } from '../../src/service.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
})
afterAll(() => stage.close())

const nowhere = '127.0.0.1:9'
const worker = (more: Record<string, string> = {}) =>
  stage.boot('campaigns-delivery', start, loadConfig, {
    ROLE: 'worker',
    MAILPROVIDER_US_BASE_URL: `http://${nowhere}`,
    MAILPROVIDER_EU_BASE_URL: `http://${nowhere}`,
    IDENTITY_TARGET: nowhere,
    CONTACTS_CONSENT_TARGET: nowhere,
    SENDING_INFRA_TARGET: nowhere,
    IMPORTS_TARGET: nowhere,
    WEBHOOK_INTAKE_TARGET: nowhere,
    ...more,
  })

const [ours, theirs] = [newId(), newId()]
/** Inserts settled or pending deliveries of this age. Pending ones are due tomorrow. */
const owed = (workspaceId: string, state: 'delivered' | 'failed' | 'pending', daysAgo: number, count: number) =>
  stage.query(
    `insert into campaigns.campaign_webhook_deliveries (workspace_id, id, type, state, failure_reason, occurred_at, settled_at, next_attempt_at)
     select $1, gen_random_uuid(), 'campaign_webhook.test', $2, case when $2 = 'failed' then 'test' end, then_at,
            case when $2 <> 'pending' then then_at end, case when $2 = 'pending' then clock_timestamp() + interval '1 day' end
       from generate_series(1, $4::int), (select clock_timestamp() - $3 * interval '1 day' as then_at) as moment`,
    [workspaceId, state, daysAgo, count],
  )
const kept = async () =>
  (
    await stage.query<{ summary: string }>(
      `select case workspace_id when $1 then 'ours' else 'theirs' end || ' ' || state || ' ' || count(*) as summary
         from campaigns.campaign_webhook_deliveries group by workspace_id, state order by 1`,
      [ours],
    )
  ).map(({ summary }) => summary)

test('settled webhook deliveries are deleted after their days in every workspace; pending ones are kept', async () => {
  await owed(ours, 'delivered', 91, 2_500)
  await owed(ours, 'delivered', 89, 3)
  await owed(ours, 'pending', 400, 2)
  await owed(theirs, 'failed', 91, 1_200)
  await owed(theirs, 'failed', 1, 1)
  await Promise.all([worker(), worker()])
  const left = ['ours delivered 3', 'ours pending 2', 'theirs failed 1']
  await until(async () => (await kept()).join() === left.join(), {
    what: 'old ones to be deleted',
  })
})

test('the number of days is configurable', async () => {
  await owed(theirs, 'delivered', 3, 1)
  await worker({ CAMPAIGN_WEBHOOK_DELIVERY_DAYS: '2' })
  const left = ['ours pending 2', 'theirs failed 1']
  await until(async () => (await kept()).join() === left.join(), {
    what: 'old ones to be deleted',
  })
})
