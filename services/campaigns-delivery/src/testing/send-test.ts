import { setTimeout as sleep } from 'node:timers/promises'
import { column, newId, sql, statement } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { traced } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import { routeOf } from '../delivery/claim.ts'
import type { ClaimedHandOff } from '../delivery/hand-off.ts'
import { accessOf, handOver } from '../delivery/hand-over.ts'
import { pausePoint } from '../delivery/pause-point.ts'
import { retryWrite } from '../delivery/retry-write.ts'
import { putBack } from '../delivery/put-back.ts'
import { findByKey } from '../idempotency/idempotency-key.entity.ts'
import { requireConditions } from './test-facts.ts'
import { commitTestIntent, ConditionsOutdated, type CheckedTestSend, type TestIntent } from './test-intent.ts'
import { testMessage } from './test-message.ts'
import { findTestSend, isUnderWay } from './test-send.entity.ts'
import type { TestSendInput } from './test-send-input.ts'

/** Conditions are not checked again when less than this is left before the caller's deadline. */
const lastAnswerMs = 5_000
const duplicatePollMs = 50
const duplicateWaitMs = 25_000

const readClock = statement('read-clock-before-test', { now: column.timestamptz() })

/**
 * Sends one test message, once for each key: check conditions, commit the intent, hand over, store the result. Repeats and
 * duplicate requests get the first one. Returns the id of the test send.
 */
export async function sendTest(ctx: Ctx, input: TestSendInput): Promise<string> {
  const known = await ctx.tx((em) => findByKey(em, ctx.workspaceId, input))
  return known === undefined ? make(ctx, input) : settled(ctx, known)
}

async function make(ctx: Ctx, input: TestSendInput): Promise<string> {
  const counted = (outcome: string) => ctx.metrics.countTestSend(input.purpose, outcome)
  try {
    const id = newId()
    const attributes = { 'lettergate.test_send.id': id, 'lettergate.test_send.purpose': input.purpose }
    const outcome = await traced('send test', { attributes }, () => checkAndHandOver(ctx, id, input))
    if (outcome === undefined) return await answerDuplicate(ctx, input)
    counted(outcome)
    return id
  } catch (error) {
    if (error instanceof Fault && error.code !== 'unavailable') counted('refused')
    throw error
  }
}

/** Checks the conditions again when they are too old for the intent. Returns undefined when a duplicate request was faster. */
async function checkAndHandOver(ctx: Ctx, id: string, input: TestSendInput): Promise<string | undefined> {
  for (;;) {
    const judgedAtMs = performance.now()
    const clock = await ctx.tx((em) => readClock.row(em, sql`select clock_timestamp() as now`))
    const parties = await requireConditions(ctx, input)
    try {
      return await commitAndHandOver(ctx, { id, input, parties, judgedAt: clock!.now }, judgedAtMs)
    } catch (error) {
      if (!(error instanceof ConditionsOutdated)) throw error
      if (Date.now() > ctx.deadline - lastAnswerMs) throw slow()
    }
  }
}

const slow = () =>
  new Fault(
    'unavailable',
    'conditions_slow',
    'The conditions of a test send could not be checked in time. Send it again.',
  )

/** Prepares everything before the intent, then hands over. */
async function commitAndHandOver(ctx: Ctx, checked: CheckedTestSend, judgedAt: number): Promise<string | undefined> {
  const { sender } = checked.parties
  const access = accessOf(ctx, sender)
  const { form, message } = await testMessage(ctx, checked)

  const intentAt = performance.now()
  const intent = await commit(ctx, checked)
  if (intent.kind === 'duplicate') return undefined
  await pausePoint(ctx, 'after_intent')

  const { handOff, isTrial } = intent
  const messages = new Map([[checked.id, message]])
  const prepared = { access, form, messages, intentAt, judgedAt, isCurrent: () => true }
  const route = routeOf(ctx.workspaceId, sender)
  const state = await handOver(ctx, { handOff, route, isTrial }, prepared)
  return state === 'pending' ? 'failed' : state
}

/** Commits the intent. If it is uncertain whether the commit succeeded, nothing is handed over and the message fails. */
async function commit(ctx: Ctx, checked: CheckedTestSend): Promise<TestIntent> {
  let claimed: ClaimedHandOff | undefined
  try {
    return await ctx.tx(async (em) => {
      const intent = await commitTestIntent(em, ctx, checked)
      claimed = intent.kind === 'claimed' ? intent.handOff : undefined
      return intent
    })
  } catch (error) {
    const handOff = claimed
    if (handOff)
      await retryWrite(ctx.log, () =>
        ctx.tx((em) => putBack(em, ctx.origins, handOff, { reason: 'intent_uncertain', dueAt: null })),
      )
    throw error
  }
}

/** Another request took the key in the meantime. If it was the same request, its test send is returned. */
async function answerDuplicate(ctx: Ctx, input: TestSendInput): Promise<string> {
  const id = await ctx.tx((em) => findByKey(em, ctx.workspaceId, input))
  if (id === undefined)
    throw new Fault('unavailable', 'key_released', 'The same request was just refused. Send it again.')
  return settled(ctx, id)
}

/** Waits for the call that is under way, so that a repeat gets its result. Never makes a call. */
async function settled(ctx: Ctx, id: string): Promise<string> {
  const until = Math.min(ctx.deadline - 1_000, Date.now() + duplicateWaitMs)
  for (;;) {
    const test = await ctx.tx((em) => findTestSend(em, ctx.workspaceId, id))
    if (test === undefined || !isUnderWay(test) || Date.now() >= until) return id
    await sleep(duplicatePollMs)
  }
}
