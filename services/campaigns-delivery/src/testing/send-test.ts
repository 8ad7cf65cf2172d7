import { setTimeout as sleep } from 'node:timers/promises'
import { newId, row, sql } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { traced } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import { lineOf } from '../delivery/claim.ts'
import type { HandOff } from '../delivery/hand-off.ts'
import { accessOf, handOver } from '../delivery/hand-over.ts'
import { pausePoint } from '../delivery/pause-point.ts'
import { persistently } from '../delivery/persistently.ts'
import { putBack } from '../delivery/put-back.ts'
import { requireConditions } from './test-facts.ts'
import { commitTestIntent, Outdated, type Making, type TestIntent } from './test-intent.ts'
import { testMessage } from './test-message.ts'
import { findTestSend, isUnderWay } from './test-send.entity.ts'
import { findByKey, type TestWish } from './test-wish.ts'

/** What is left of the caller's time when conditions are no longer asked for again. */
const lastAnswerMs = 5_000
const twinPollMs = 50
const twinWaitMs = 25_000

/**
 * Sends one test message, once for each key, whatever happens: check, commit the intent, hand over, write down what came of
 * it. Repeats and concurrent twins get the first one. Answers the id of the test send.
 */
export async function sendTest(ctx: Ctx, wish: TestWish): Promise<string> {
  const known = await ctx.tx((em) => findByKey(em, ctx.workspaceId, wish))
  return known === undefined ? make(ctx, wish) : settled(ctx, known)
}

async function make(ctx: Ctx, wish: TestWish): Promise<string> {
  const counted = (outcome: string) => ctx.counted.testSend(wish.purpose, outcome)
  try {
    const id = newId()
    const attributes = { 'lettergate.test_send.id': id, 'lettergate.test_send.purpose': wish.purpose }
    const outcome = await traced('send test', { attributes }, () => judgeAndHandOver(ctx, id, wish))
    if (outcome === undefined) return await twin(ctx, wish)
    counted(outcome)
    return id
  } catch (error) {
    if (error instanceof Fault && error.code !== 'unavailable') counted('refused')
    throw error
  }
}

/** Asks again when the answers were too old for the intent. Answers undefined when a twin was faster. */
async function judgeAndHandOver(ctx: Ctx, id: string, wish: TestWish): Promise<string | undefined> {
  for (;;) {
    const judgedAtMs = performance.now()
    const clock = await ctx.tx((em) => row<{ now: string }>(em, sql`select clock_timestamp() as now`))
    const parties = await requireConditions(ctx, wish)
    try {
      return await intendAndHandOver(ctx, { id, wish, parties, judgedAt: clock!.now }, judgedAtMs)
    } catch (error) {
      if (!(error instanceof Outdated)) throw error
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

/** Everything that can be prepared is prepared before the intent. */
async function intendAndHandOver(ctx: Ctx, making: Making, judgedAt: number): Promise<string | undefined> {
  const { sender } = making.parties
  const access = accessOf(ctx, sender)
  const { form, person } = await testMessage(ctx, making)

  const intentAt = performance.now()
  const intent = await commit(ctx, making)
  if (intent.kind === 'twin') return undefined
  await pausePoint(ctx, 'after_intent')

  const { handOff, isTrial } = intent
  const messages = new Map([[making.id, person]])
  const prepared = { access, form, messages, intentAt, judgedAt, isCurrent: () => true }
  const line = lineOf(ctx.workspaceId, sender)
  const state = await handOver(ctx, { handOff, line, isTrial }, prepared)
  return state === 'pending' ? 'failed' : state
}

/** Commits the intent. When nobody can say whether it was committed, nothing is handed over and the message has failed. */
async function commit(ctx: Ctx, making: Making): Promise<TestIntent> {
  let claimed: HandOff | undefined
  try {
    return await ctx.tx(async (em) => {
      const intent = await commitTestIntent(em, ctx, making)
      claimed = intent.kind === 'claimed' ? intent.handOff : undefined
      return intent
    })
  } catch (error) {
    const handOff = claimed
    if (handOff)
      await persistently(ctx.log, () =>
        ctx.tx((em) => putBack(em, ctx.origins, handOff, { reason: 'intent_uncertain', dueAt: null })),
      )
    throw error
  }
}

/** The key was taken in between: by the same request, whose message this is, or by another one. */
async function twin(ctx: Ctx, wish: TestWish): Promise<string> {
  const id = await ctx.tx((em) => findByKey(em, ctx.workspaceId, wish))
  if (id === undefined)
    throw new Fault('unavailable', 'key_released', 'The same request was just refused. Send it again.')
  return settled(ctx, id)
}

/** Waits for the call that is under way, so that repeats are told what became of it; never makes one. */
async function settled(ctx: Ctx, id: string): Promise<string> {
  const until = Math.min(ctx.deadline - 1_000, Date.now() + twinWaitMs)
  for (;;) {
    const test = await ctx.tx((em) => findTestSend(em, ctx.workspaceId, id))
    if (test === undefined || !isUnderWay(test) || Date.now() >= until) return id
    await sleep(twinPollMs)
  }
}
