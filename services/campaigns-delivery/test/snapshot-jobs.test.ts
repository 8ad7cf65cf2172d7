import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { fromBinary } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import type { Fault } from '@lettergate/fault'
import { until } from '@lettergate/stage'
import { patiently } from '@lettergate/stage/patiently'
import { freePort } from '@lettergate/stage/ports'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** Two inserts of 2,000 and one of 1,000, in batches of 100. */
const members = 5_000
const hourMs = 3_600_000

let rig: DeliveryStage
let audience: string
let builder: Awaited<ReturnType<DeliveryStage['builder']>> | undefined
const children: ChildProcess[] = []

beforeAll(async () => {
  rig = await openDelivery()
  await rig.stopBuilding()
  audience = await rig.audience()
  await rig.members(audience, members)
  await rig.stage.query(`create table campaigns.held (place text); grant select on campaigns.held to campaigns`)
  await rig.stage.query(
    `create function campaigns.wait_while_held() returns trigger language plpgsql as $$
       begin while exists (select from campaigns.held h where h.place = tg_argv[0]) loop perform pg_sleep(0.02); end loop; return new; end $$`,
  )
  for (const [place, table, condition] of [
    ['first people', 'run_recipients', 'new.batch = 0'],
    ['last people', 'run_recipients', 'new.batch = 49'],
    ['last transaction', 'snapshots', 'true'],
  ])
    await rig.stage.query(
      `create trigger "hold ${place}" before insert on campaigns.${table} for each row when (${condition}) execute function campaigns.wait_while_held('${place}')`,
    )
})
afterEach(async () => {
  await letGo()
  await builder?.stop()
  builder = undefined
  for (const child of children.splice(0)) await kill(child)
})
afterAll(() => rig.close())

const hold = (place: string) => rig.stage.query('insert into campaigns.held values ($1)', [place])
const letGo = () => rig.stage.query('delete from campaigns.held')
const startBuilding = async () => void (builder = await rig.builder())

/** Counts the attempts of the builder that were postponed, also after it has stopped. */
function postponedOf({ service }: NonNullable<typeof builder>): () => Promise<number> {
  const results = service.metrics.getSingleMetric('lettergate_snapshots_total')!
  return async () => (await results.get()).values.find(({ labels }) => labels['result'] === 'postponed')?.value ?? 0
}

async function kill(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Starts a role of the service in its own process, as in production, and waits until it is ready. */
async function processOf(env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env['PATH'],
      ...rig.stage.environment('campaigns-delivery', { ...rig.env, LOG_LEVEL: 'info', ...env }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await until(() => output.includes('"msg":"ready"'), { what: 'the process to be ready' })
  return child
}

interface Job {
  run_id: string
  attempts: number
  lease_id: string | null
}
const jobs = () => rig.stage.query<Job>('select * from campaigns.snapshot_jobs where failed_at is null')
/** Ends every lease at once. */
const endLeases = () =>
  rig.stage.query(
    `update campaigns.snapshot_jobs set leased_until = now(), next_attempt_at = now() where failed_at is null`,
  )

const runsOf = (campaignId: string) =>
  rig.stage.query<{ id: string; state: string; people: number; addresses: number; batches: number }>(
    `select r.id, r.state, count(p.id)::int as people, count(distinct p.normalized_email)::int as addresses,
            (select count(*)::int from campaigns.delivery_batches b where b.run_id = r.id) as batches
       from campaigns.campaign_runs r left join campaigns.run_recipients p on p.run_id = r.id where r.campaign_id = $1 group by r.id, r.state`,
    [campaignId],
  )
const peopleAre = (campaignId: string, people: number) =>
  until(async () => (await runsOf(campaignId))[0]?.people === people, {
    what: `${people} recipients of a run that is being built`,
  })
const whole = (id: string) => [{ id, state: 'scheduled', people: members, addresses: members, batches: members / 100 }]

/** Sends the same request each time it is called. */
function scheduling(campaignId: string) {
  const request = {
    campaignId,
    scheduledFor: timestampFromDate(new Date(Date.now() + hourMs)),
    idempotencyKey: newId(),
  }
  return async (campaigns = rig.campaigns, timeoutMs = 20_000) =>
    (await campaigns.scheduleCampaign(rig.us, request, { timeoutMs })).campaignRun!
}

async function faultOf(call: Promise<unknown>): Promise<Fault> {
  try {
    await call
  } catch (error) {
    return error as Fault
  }
  throw new Error('the call was expected to fail')
}

describe('a killed worker loses nothing: the run is invisible until another worker has built it completely', () => {
  test.each([
    ['first people', members - 2_000],
    ['last people', members - 1_000],
    ['last transaction', members],
  ])('killed before the %s', async (place, peopleThen) => {
    const { campaignId } = await rig.draft(audience)
    const schedule = scheduling(campaignId)
    await hold(place)
    const dying = await processOf({ ROLE: 'worker' })
    const answer = schedule()
    answer.catch(() => undefined) // the caller may have gone before all of this is over
    await peopleAre(campaignId, peopleThen)
    await kill(dying)
    const [building] = await runsOf(campaignId)
    expect(building!.state).toBe('building')
    expect((await faultOf(rig.campaigns.getCampaignRun(rig.us, { runId: building!.id }))).code).toBe('not_found')

    await letGo()
    await endLeases()
    await startBuilding()
    await until(async () => (await jobs()).length === 0, { what: 'another worker to build it' })
    expect(await runsOf(campaignId)).toEqual(whole(building!.id))
    const again = await schedule()
    expect({ id: again.id, included: again.includedCount }).toEqual({ id: building!.id, included: members })
  })
})

test('an api that is killed while its caller waits loses nothing: the run is built, and the same key returns it from another api', async () => {
  const { campaignId } = await rig.draft(audience)
  const schedule = scheduling(campaignId)
  const port = await freePort()
  const dying = await processOf({ ROLE: 'api', RPC_PORT: String(port) })
  const toDying = await rig.stage.client(CampaignsDelivery, port)
  const cut = faultOf(schedule(toDying))
  await until(async () => (await jobs()).length === 1, { what: 'the snapshot to be requested' })
  await kill(dying)
  expect((await cut).code).toBe('unavailable')

  await startBuilding()
  const run = await patiently(schedule) // a busy machine may be slower than a caller
  expect(await runsOf(campaignId)).toEqual(whole(run.id))
})

test('a stopped worker releases its snapshot at once, and this does not count as an attempt', async () => {
  const { campaignId } = await rig.draft(audience)
  const schedule = scheduling(campaignId)
  await startBuilding()
  await hold('last people')
  const answer = schedule()
  await peopleAre(campaignId, members - 1_000)
  const postponed = postponedOf(builder!)
  await builder!.stop()
  // On a busy machine the held insert may have reached its time limit before the stop, which counts as an attempt.
  expect(await jobs()).toMatchObject([{ lease_id: null, attempts: await postponed() }])
  await letGo()
  await startBuilding()
  const { id } = await answer.catch(() => patiently(schedule)) // a busy machine may be slower than a caller
  expect(await runsOf(campaignId)).toEqual(whole(id))
})

test('a snapshot that cannot be written in time is started again, and contains every recipient once', async () => {
  const { campaignId } = await rig.draft(audience)
  const schedule = scheduling(campaignId)
  await startBuilding()
  await hold('last people')
  const answer = schedule()
  await until(async () => (await jobs()).some(({ attempts }) => attempts === 2), {
    what: 'the second attempt',
  })
  await letGo()
  const { id } = await answer.catch(() => patiently(schedule)) // a busy machine may be slower than a caller
  expect(await runsOf(campaignId)).toEqual(whole(id))
})

test('a gate that is closed while the snapshot waits refuses it: the caller gets the error, and the key is free', async () => {
  const { campaignId } = await rig.draft(audience)
  const schedule = scheduling(campaignId)
  const refusal = faultOf(schedule())
  await until(async () => (await jobs()).length === 1, { what: 'the snapshot to be requested' })
  await rig.setGate(false)
  await startBuilding()
  expect(await refusal).toMatchObject({ code: 'failed_precondition', reason: 'production_switch' })
  expect(await runsOf(campaignId)).toEqual([])
  await rig.setGate(true)
  const run = await patiently(schedule)
  expect(await runsOf(campaignId)).toEqual(whole(run.id))
})

test('a snapshot that fails because of a bug raises an alert, its caller gets an internal error, and the key is free', async () => {
  const { campaignId } = await rig.draft(audience)
  const schedule = scheduling(campaignId)
  await startBuilding()
  await rig.stage.query('alter table campaigns.snapshots add constraint refuse check (false) not valid')
  const fault = await faultOf(schedule())
  await rig.stage.query('alter table campaigns.snapshots drop constraint refuse')
  expect(fault.message).toContain('internal error')
  expect(await runsOf(campaignId)).toEqual([])
  const alerts = await rig.stage.query<{ payload: Buffer }>(
    `select payload from campaigns.outbox where event = 'alert_raised' order by id`,
  )
  expect(alerts.map(({ payload }) => fromBinary(AlertRaisedSchema, payload))).toContainEqual(
    expect.objectContaining({ code: 'snapshot_failed', about: campaignId }),
  )
  const run = await schedule()
  expect(await runsOf(campaignId)).toEqual(whole(run.id))
})
