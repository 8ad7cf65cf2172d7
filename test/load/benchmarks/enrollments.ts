import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { AudienceSubscribedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { emptyAutomationTables, enrollOneByOne } from '../automation-floors.ts'
import { createAudience, publishAutomation, type BenchAutomation } from '../automations.ts'
import type { Bench } from '../bench.ts'
import { compareInTurns } from '../in-turns.ts'
import type { Result } from '../result.ts'

const rounds = 3
const floorPeople = 5_000
const waitSeconds = 300_000_000

/** From the commit of trigger events until each contact waits at the first node: relay, stream, consumer, inbox, enrollment, step. */
export async function enrollments(bench: Bench): Promise<Result[]> {
  const { database, floor, options, print } = bench
  const { enrollments: people } = options
  const name = 'enrollments by a trigger'
  print(`${name}: ${people} events`)
  let round = 0
  let automation: BenchAutomation
  const compared = await compareInTurns(
    bench,
    { name, unit: 'enrollment' },
    {
      rounds: Math.min(rounds, options.rounds),
      prepare: {
        floor: async () => void (await emptyAutomationTables(floor.pool)),
        ours: async () => {
          round += 1
          automation = await publishAutomation(bench, `bench-enroll-${round}`, [
            { type: 'wait_duration', config: { seconds: waitSeconds } },
          ])
          await database.query('begin')
          await insertEvents(bench, automation.audienceId, people)
        },
      },
      floor: async () => {
        const seconds = await enrollOneByOne(floor.pool, floorPeople)
        return { done: floorPeople, failures: 0, perSecond: floorPeople / seconds }
      },
      ours: async () => {
        const began = performance.now()
        await database.query('commit')
        await createAudience(bench.api, `bench-wakes-the-relay-${round}`)
        while ((await waitingIn(bench, automation.id)) < people) await sleep(20)
        return { done: people, failures: 0, perSecond: (people * 1_000) / (performance.now() - began) }
      },
    },
  )
  return [
    {
      name,
      unit: '/s',
      ...compared,
      floorIs: 'the same rows in two transactions for each contact, on four connections, without events',
    },
  ]
}

async function waitingIn({ database }: Bench, automationId: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count from automations.enrollment_positions where automation_id = $1 and state = 'waiting'`,
    [automationId],
  )
  return rows[0]!.count
}

/** The outbox rows that subscriptions write. */
async function insertEvents({ database }: Bench, audienceId: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => {
    const init = { contactId: newId(), audienceId, consentEventId: newId() }
    return { id: newId(), payload: toBinary(AudienceSubscribedSchema, create(AudienceSubscribedSchema, init)) }
  })
  const headers = { type: AudienceSubscribedSchema.typeName, correlationId: randomUUID(), actor: 'bench', trace: {} }
  await database.query(
    `insert into contacts.outbox (id, event, workspace_id, payload, headers)
     select t.id, 'audience_subscribed', a.workspace_id, t.payload, $2::json
       from contacts.audiences a, unnest($3::uuid[], $4::bytea[]) as t (id, payload) where a.id = $1`,
    [audienceId, JSON.stringify(headers), rows.map(({ id }) => id), rows.map(({ payload }) => Buffer.from(payload))],
  )
}
