import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { SenderReadinessSchema } from '@lettergate/contracts/sending/v1/sending'
import { newId } from '@lettergate/database'
import fc from 'fast-check'
import type { Ctx } from '../../src/ctx.ts'
import { batchOrigin } from '../../src/delivery/batch-origin.ts'
import { commitIntent } from '../../src/delivery/intent.ts'
import { insertFacts, insertHandOff, insertHandOffRow, insertRecipient, messageStatesOf } from '../message-rows.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

const workspaceId = newId()
let rig: RowsStage
beforeAll(async () => {
  rig = await openRows()
})
afterAll(() => rig.close())

type Known = 'pending' | 'accepted' | 'skipped'
interface Recipient {
  id: string
  batch: number
  isEligible: boolean
}

/** Inserts a run with these batches and what is known about their recipients. */
async function insertRun(connectionId: string, batches: readonly (readonly { known: Known; isEligible: boolean }[])[]) {
  const { runId } = await rig.run(workspaceId, batches.length, connectionId)
  const recipients: Recipient[] = []
  for (const [index, people] of batches.entries())
    for (const { known, isEligible } of people) {
      const [id, batch] = [newId(), index + 1]
      await insertRecipient(rig.stage, { workspaceId, runId, id, batch })
      if (known === 'accepted') {
        const handOff = { workspaceId, id: newId(), originId: runId, batch, messageIds: [id], connectionId }
        await insertHandOff(rig.stage, { ...handOff, state: 'accepted' })
      }
      if (known === 'skipped')
        await insertFacts(rig.stage, { workspaceId, originId: runId, messageId: id }, [
          { fact: 'skipped', reasons: ['audience_closed'] },
        ])
      recipients.push({ id, batch, isEligible })
    }
  return { runId, recipients }
}

interface Group {
  runId: string
  connectionId: string
  batches: readonly number[]
  recipients: readonly Recipient[]
}

/** Stores the intent for a group of batches as a worker does, with a verdict for each recipient. */
async function intend(
  { runId, connectionId, batches, recipients }: Group,
  limits: { atOnce: number; perSecond: number },
) {
  const known = recipients.filter(({ batch }) => batches.includes(batch))
  const ctx = rig.in(workspaceId) as unknown as Ctx
  const sender = {
    providerConnectionId: connectionId,
    domainName: 'mail.acme.test',
    region: 'us',
    credentialEnvKey: 'K',
  }
  const [{ now }] = (await rig.stage.query<{ now: string }>('select clock_timestamp()::text as now')) as [
    { now: string },
  ]
  return commitIntent(ctx, batchOrigin({ workspaceId, runId, batches }, limits), {
    eligible: known
      .filter(({ isEligible }) => isEligible)
      .map(({ id }) => ({ id, contactId: id, audienceId: id, minimumIntervalSeconds: 0 })),
    ineligible: known.filter(({ isEligible }) => !isEligible).map(({ id }) => ({ id, reasons: ['suppressed'] })),
    judgedAt: now,
    sender: create(SenderReadinessSchema, sender),
    isCurrent: () => true,
  })
}

const claimedOf = (runId: string) =>
  rig.stage.query<{ batch: number; message_ids: string[] }>(
    `select batch, message_ids from campaigns.hand_offs where origin_id = $1 and state = 'claimed' order by batch, id`,
    [runId],
  )
const openBatchesOf = async (runId: string) =>
  (
    await rig.stage.query<{ batch: number }>(
      'select batch from campaigns.delivery_batches where run_id = $1 and done_at is null order by batch',
      [runId],
    )
  ).map(({ batch }) => batch)
const holdOf = (connectionId: string, until: string) =>
  rig.stage.query(
    `insert into campaigns.connection_holds (workspace_id, connection_id, until, failures, reason, updated_at, cooling_since)
     values ($1, $2, now() + $3::interval, 1, 'unavailable', now(), now())`,
    [workspaceId, connectionId, until],
  )

const batch = fc.array(
  fc.record({ known: fc.constantFrom<Known>('pending', 'pending', 'accepted', 'skipped'), isEligible: fc.boolean() }),
  { maxLength: 4 },
)

test('whichever batches concurrent workers prepare together, each recipient gets one end and each call one batch', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(batch, { minLength: 1, maxLength: 6 }),
      fc.array(fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 6 }),
      async (people, wanted, atOnce) => {
        const connectionId = newId()
        const run = await insertRun(connectionId, people)
        const batchOf = new Map(run.recipients.map(({ id, batch: number }) => [id, number]))
        const groups = wanted.map((numbers) => [...new Set(numbers.map((number) => (number % people.length) + 1))])
        const limits = { atOnce, perSecond: 0 }
        const intents = await Promise.all(groups.map((batches) => intend({ ...run, connectionId, batches }, limits)))

        const calls = await claimedOf(run.runId)
        expect(calls.length).toBeLessThanOrEqual(atOnce)
        for (const call of calls)
          expect(call.message_ids.map((id) => batchOf.get(id))).toEqual(call.message_ids.map(() => call.batch))
        const states = await messageStatesOf(rig.stage, run.runId)
        expect(states.filter(({ hand_offs: handOffs }) => handOffs > 1)).toEqual([])
        const pending = new Set(states.filter(({ state }) => state === 'pending').map(({ id }) => batchOf.get(id)!))
        const tried = new Set(groups.flat())
        const untried = people.map((_, index) => index + 1).filter((number) => !tried.has(number))
        const open = new Set(await openBatchesOf(run.runId))
        const decided = new Set(groups.filter((_, index) => intents[index]!.kind === 'claimed').flat())
        // A batch is open while one of its recipients is pending, or while no intent has decided about it.
        for (const number of [...pending, ...untried]) expect(open.has(number)).toBe(true)
        for (const number of tried)
          if (decided.has(number) && !pending.has(number)) expect(open.has(number)).toBe(false)
      },
    ),
    { numRuns: 40 },
  )
})

test('without enough free calls, the first batches are claimed and the others stay open', async () => {
  const connectionId = newId()
  const one = [{ known: 'pending', isEligible: true }] as const
  const run = await insertRun(connectionId, [one, one, one, one])
  const group = { ...run, connectionId, batches: [1, 2, 3, 4] }
  expect(await intend(group, { atOnce: 3, perSecond: 0 })).toMatchObject({ kind: 'claimed', isWhole: false })
  expect(await claimedOf(run.runId)).toHaveLength(3)
  expect(await openBatchesOf(run.runId)).toHaveLength(1)
})

test('the trial of a connection after its cooldown is one call, however many batches wait', async () => {
  const connectionId = newId()
  await holdOf(connectionId, '-1 second')
  const two = [
    { known: 'pending', isEligible: true },
    { known: 'pending', isEligible: true },
  ] as const
  const run = await insertRun(connectionId, [two, two, two])
  const group = { ...run, connectionId, batches: [1, 2, 3] }
  expect(await intend(group, { atOnce: 9, perSecond: 0 })).toMatchObject({ kind: 'claimed', isTrial: true })
  expect((await claimedOf(run.runId)).map(({ batch: number }) => number)).toEqual([1])
  expect(await openBatchesOf(run.runId)).toEqual([2, 3])
  expect(await intend(group, { atOnce: 9, perSecond: 0 })).toMatchObject({ kind: 'postponed', why: 'cooldown' })
})

test('a rate allows as many of the calls as one after the other would get', async () => {
  const connectionId = newId()
  const ten = Array.from({ length: 10 }, () => ({ known: 'pending' as const, isEligible: true }))
  const run = await insertRun(connectionId, [ten, ten, ten, ten])
  const group = { ...run, connectionId, batches: [1, 2, 3, 4] }
  // A credit of one second is 15 messages: it pays the first call and half of the second, and then the rate is used up.
  expect(await intend(group, { atOnce: 9, perSecond: 15 })).toMatchObject({ kind: 'claimed', isWhole: false })
  expect((await claimedOf(run.runId)).map(({ batch: number }) => number)).toEqual([1, 2])
  expect(await openBatchesOf(run.runId)).toEqual([3, 4])
})

test('a hand-off that names a message twice is refused', async () => {
  const connectionId = newId()
  const run = await insertRun(connectionId, [[{ known: 'pending', isEligible: true }]])
  const [{ id }] = run.recipients as [Recipient]
  const handOff = { workspaceId, id: newId(), originId: run.runId, batch: 1, connectionId }
  await expect(insertHandOff(rig.stage, { ...handOff, messageIds: [id, id] })).rejects.toMatchObject({ code: '23505' })
})

test('a hand-off names only messages of its run and batch, or the one of its test send', async () => {
  const connectionId = newId()
  const one = { known: 'pending' as const, isEligible: true }
  const run = await insertRun(connectionId, [[one], [one]])
  const other = await insertRun(connectionId, [[one]])
  const idOf = ({ recipients }: typeof run, batch: number) => recipients.find((of) => of.batch === batch)!.id
  const handOff = { workspaceId, originId: run.runId, batch: 1, connectionId }
  const insert = (row: object, messageIds: string[]) =>
    insertHandOffRow(rig.stage, { ...handOff, ...row, id: newId(), messageIds })
  for (const messageIds of [[idOf(run, 2)], [idOf(other, 1)], [newId()], [idOf(run, 1), idOf(run, 2)]])
    await expect(insert({}, messageIds)).rejects.toMatchObject({ code: '23503' })
  await expect(insert({ kind: 'test_send', batch: 0 }, [newId()])).rejects.toMatchObject({ code: '23503' })
  await insert({ kind: 'test_send', batch: 0 }, [run.runId])
  await insert({}, [idOf(run, 1)])
})

test('after singles, the batch waits until its five calls have ended, and others are released at once', async () => {
  const connectionId = newId()
  const six = Array.from({ length: 6 }, () => ({ known: 'pending' as const, isEligible: true }))
  const run = await insertRun(connectionId, [six, six])
  await rig.stage.query('update campaigns.delivery_batches set published_at = now() where run_id = $1', [run.runId])
  await rig.stage.query('update campaigns.delivery_batches set is_singles = true where run_id = $1 and batch = 1', [
    run.runId,
  ])
  const published = () =>
    rig.stage.query(
      'select batch from campaigns.delivery_batches where run_id = $1 and published_at is not null order by batch',
      [run.runId],
    )
  const limits = { atOnce: 5, perSecond: 0 }
  const sent = await intend({ ...run, connectionId, batches: [1] }, limits)
  expect(sent).toMatchObject({ kind: 'claimed', isWhole: false, isSingles: true })
  expect(await claimedOf(run.runId)).toHaveLength(5)
  expect(await published()).toEqual([{ batch: 1 }, { batch: 2 }])
  // Without a free slot, batch 2 is postponed.
  await intend({ ...run, connectionId, batches: [2] }, limits)
  expect(await published()).toEqual([{ batch: 1 }])
})
