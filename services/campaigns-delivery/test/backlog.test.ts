import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { automationGate, openAutomationEmails, type AutomationStage } from './automation-stage.ts'

let rig: AutomationStage
let singles: Awaited<ReturnType<AutomationStage['api']>>
beforeAll(async () => {
  rig = await openAutomationEmails()
  singles = await rig.api({ DELIVERY_BATCH_SIZE: '1' })
  // All slots of the connection are in use, so that batches and emails wait.
  await rig.stage.query(
    `insert into campaigns.hand_offs (workspace_id, id, kind, origin_id, batch, message_ids, connection_id, domain_name, region, credential_env_key, state, slot, judged_at, claimed_at)
     select $1, gen_random_uuid(), 'run', $2, 0, '{}', $2, 'd', 'us', 'K', 'claimed', n, now(), now() + interval '1 hour' from generate_series(1, 1000) n`,
    [rig.workspaceId, rig.connectionId],
  )
})
afterAll(() => rig.close())

async function metrics() {
  const text = await (await fetch(`http://127.0.0.1:${rig.workerApp.healthPort}/metrics`)).text()
  const lines = text.split('\n').filter((route) => !route.startsWith('#'))
  return (name: string, label = '') =>
    lines
      .filter((route) => route.startsWith(`${name}{`) && route.includes(label))
      .map((route) => Number(route.split(' ').at(-1)))
}

async function waiting(recipients: number) {
  const audience = await rig.audience()
  await Promise.all(
    Array.from({ length: recipients }, (_, n) => rig.subscriber(audience, `${recipients}.${n}@example.org`)),
  )
  const { campaignId } = await rig.draft(audience)
  const { id } = await rig.schedule(campaignId, { campaigns: singles })
  await until(async () => (await rig.report(id)).run.state === 'sending', {
    what: 'the run to begin',
  })
  return id
}
const reads = (due: number, name = 'lettergate_batches_due') =>
  until(async () => (await metrics())(name)[0] === due, { what: `${name} to be ${due}` })

test('the scaling metrics grow with the backlog, for each run and in total, without held runs', async () => {
  await reads(0)
  const small = await waiting(3)
  await reads(3)
  const large = await waiting(9)
  await reads(12)
  const read = await metrics()
  expect(read('lettergate_run_batches_due', small)).toEqual([3])
  expect(read('lettergate_run_recipients_pending', large)).toEqual([9])
  expect(read('lettergate_recipients_pending')).toEqual([12])

  await rig.campaigns.controlCampaignRun(rig.us, { runId: large, action: 'pause' })
  await reads(3)
  expect((await metrics())('lettergate_recipients_pending')).toEqual([3])
  await rig.campaigns.controlCampaignRun(rig.us, { runId: large, action: 'resume' })
  await reads(12)
})

test('batches in a cooldown of their connection or domain are not due, and one is after it', async () => {
  await reads(12)
  await rig.stage.query(
    `insert into campaigns.connection_holds (workspace_id, connection_id, until, failures, reason) values ($1, $2, now() + interval '1 hour', 1, 'unreachable')`,
    [rig.workspaceId, rig.connectionId],
  )
  await reads(0)
  expect((await metrics())('lettergate_recipients_pending')).toEqual([12])
  await rig.stage.query(`update campaigns.connection_holds set until = now()`)
  await reads(1)
  await rig.endCooldown()
  await reads(12)
  await rig.stage.query(
    `insert into campaigns.domain_holds (workspace_id, connection_id, domain_name, until, failures, reason) values ($1, $2, 'mail.acme.test', now() + interval '1 hour', 1, 'domain_refused')`,
    [rig.workspaceId, rig.connectionId],
  )
  await reads(0)
  await rig.stage.query('delete from campaigns.domain_holds')
  await reads(12)
})

test('emails of automations that wait for capacity are counted, and those behind a closed gate are not', async () => {
  const gauge = 'lettergate_automation_emails_due'
  await reads(0, gauge)
  const people = await Promise.all([1, 2, 3].map(() => rig.person('Ari')))
  const ask = (emails: typeof people) => rig.send(emails.map(({ email }) => email))
  expect(await ask(people.slice(0, 1))).toMatchObject([{ reasons: ['connection_full'] }])
  await reads(1, gauge)
  await ask(people)
  await reads(3, gauge)
  await rig.setGate(false, automationGate)
  await until(async () => (await ask(people)).every(({ reasons }) => reasons[0] === automationGate), {
    what: 'the closed gate',
  })
  await reads(0, gauge)
})
