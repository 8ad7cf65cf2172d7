import { openApi, signInAs } from '@lettergate/demo/api'
import { doStepsOneByOne, insertDueInFloor, type FloorNode } from '../automation-floors.ts'
import { insertWaiting, publishAutomation, stepCounts, untilWorkedOff, type BenchAutomation } from '../automations.ts'
import { audienceOf } from '../audience.ts'
import { workspace, type Bench } from '../bench.ts'
import { compareInTurns } from '../in-turns.ts'
import type { Result } from '../result.ts'

const rounds = 3
const floorPeople = 2_000
const floorNodes: FloorNode[] = ['wait', 'tag', 'score', 'decision', 'end']

/** A wait that is over, a tag, a score, a decision and the end, for many contacts who are due together. */
export async function automationSteps(bench: Bench): Promise<Result[]> {
  const { database, floor, options, print } = bench
  const { stepContacts: people } = options
  const name = 'automation steps'
  const audienceId = await audienceOf(bench, people)
  const { rows } = await database.query<{ id: string }>(
    'select contact_id as id from contacts.memberships where audience_id = $1',
    [audienceId],
  )
  const contactIds = rows.map(({ id }) => id)
  print(`${name} of ${people} contacts, ${floorNodes.length} each`)
  let round = 0
  let automation: BenchAutomation
  const compared = await compareInTurns(
    bench,
    { name, unit: 'step' },
    {
      rounds: Math.min(rounds, options.rounds),
      prepare: {
        floor: () => insertDueInFloor(floor.pool, floorPeople),
        ours: async () => {
          round += 1
          const tag = `bench-${round}`
          await registerTag(bench, tag)
          automation = await publishAutomation(bench, `bench-steps-${round}`, [
            { type: 'wait_duration', config: { seconds: 60 } },
            { type: 'add_tag', config: { tag } },
            { type: 'adjust_score', config: { amount: 1 } },
            { type: 'decision', config: {}, condition: { tag, operator: 'exists' } },
          ])
          await database.query('begin')
          await insertWaiting(bench, automation, { contactIds, dueAt: new Date() })
        },
      },
      floor: async () => {
        const seconds = await doStepsOneByOne(floor.pool, floorNodes)
        const done = floorPeople * floorNodes.length
        return { done, failures: 0, perSecond: done / seconds }
      },
      ours: async () => {
        const began = performance.now()
        await database.query('commit')
        await untilWorkedOff(bench)
        const seconds = (performance.now() - began) / 1_000
        const counts = await stepCounts(bench, automation.id)
        const done = people * floorNodes.length
        const expected = { waited: people, applied: 2 * people, decided: people, completed: people }
        for (const [outcome, count] of Object.entries(expected))
          if (counts[outcome] !== count) throw new Error(`the steps are wrong: ${JSON.stringify(counts)}`)
        return { done, failures: 0, perSecond: done / seconds }
      },
    },
  )
  return [
    {
      name,
      unit: 'steps/s',
      ...compared,
      floorIs: 'each step in a transaction of its own in one database, on four connections',
      note: `${compared.note}; up to 1 s until the worker looks`,
    },
  ]
}

async function registerTag({ stack }: Bench, name: string): Promise<void> {
  const owner = openApi(stack.base_url, await signInAs('owner', stack.base_url))
  await owner.ok('POST', `${workspace.replace('/api/v1', '/console/api')}/tags`, { name })
  await owner.close()
}
