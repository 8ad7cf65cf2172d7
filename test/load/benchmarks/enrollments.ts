import { setTimeout as sleep } from 'node:timers/promises'
import { AudienceSubscribedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { emptyAutomationTables, enrollOneByOne } from '../automation-floors.ts'
import { createAudience, publishAutomation, type BenchAutomation } from '../automations.ts'
import type { Bench } from '../bench.ts'
import { compareInTurns } from '../in-turns.ts'
import { insertEvents } from '../insert-events.ts'
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
          await insertSubscriptions(bench, automation.audienceId, people)
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

/** The events that subscriptions publish. */
async function insertSubscriptions(bench: Bench, audienceId: string, count: number): Promise<void> {
  const { rows } = await bench.database.query<{ workspace_id: string }>(
    'select workspace_id from contacts.audiences where id = $1',
    [audienceId],
  )
  const subscribed = Array.from({ length: count }, () => ({ contactId: newId(), audienceId, consentEventId: newId() }))
  await insertEvents(bench, 'contacts', rows[0]!.workspace_id, AudienceSubscribedSchema, subscribed)
}
