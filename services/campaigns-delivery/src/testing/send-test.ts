import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@lettergate/database'
import { Fault, ignoring } from '@lettergate/fault'
import { traced } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import { findTestSend, type TestSendRow } from '../db/test-sends.ts'
import { accessOf } from '../delivery/hand-over.ts'
import { lineOf } from '../delivery/intent.ts'
import { pausePoint } from '../delivery/pause-point.ts'
import { persistently } from '../delivery/persistently.ts'
import type { HandOffResult } from '../provider/mailgun/classify.ts'
import { handOffMessages } from '../provider/mailgun/mailgun.ts'
import { reconcile } from './record-test-facts.ts'
import { failTest, settleTest } from './settle-test.ts'
import { requireConditions, type TestParties } from './test-facts.ts'
import { commitTestIntent, type TestIntent } from './test-intent.ts'
import { testMessage } from './test-message.ts'
import { findByKey, type TestWish } from './test-wish.ts'

/** A hand-off that has not begun this long after its intent was committed does not begin at all. */
const handOffWithinMs = 2_000
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
    const parties = await requireConditions(ctx, wish)
    const id = newId()
    const attributes = { 'lettergate.test_send.id': id, 'lettergate.test_send.purpose': wish.purpose }
    const outcome = await traced('send test', { attributes }, () => intendAndHandOver(ctx, { id, wish, parties }))
    if (outcome === undefined) return await twin(ctx, wish)
    counted(outcome)
    return id
  } catch (error) {
    if (error instanceof Fault && error.code !== 'unavailable') counted('refused')
    throw error
  }
}

interface Making {
  id: string
  wish: TestWish
  parties: TestParties
}

/** Commits the intent. When nobody can say whether it was committed, nothing is handed over and the message has failed. */
async function commit(ctx: Ctx, making: Making): Promise<TestIntent | undefined> {
  try {
    return await ctx.tx((em) => commitTestIntent(em, ctx, making))
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'unavailable')
      await neverBegan(ctx, making.id, 'intent_uncertain').catch((again: unknown) =>
        ignoring(again, 'the sweeper calls it unknown, which is not wrong'),
      )
    throw error
  }
}

const neverBegan = (ctx: Ctx, id: string, reason: string): Promise<void> =>
  ctx.tx(async (em) => {
    const { workspaceId } = ctx
    if ((await failTest(em, { workspaceId, id, reason, attempts: 0 })) > 0) await reconcile(em, workspaceId, id)
  })

/** Everything that can be prepared is prepared before the intent. Answers undefined when a twin was faster. */
async function intendAndHandOver(ctx: Ctx, making: Making): Promise<string | undefined> {
  const { workspaceId } = ctx
  const { sender } = making.parties
  const access = accessOf(ctx, sender)
  const { form, person } = await testMessage(ctx, making)

  const intentAt = performance.now()
  const intent = await commit(ctx, making)
  if (intent === undefined) return undefined
  await pausePoint(ctx, 'after_intent')

  const elapsedMs = performance.now() - intentAt
  if (elapsedMs >= handOffWithinMs) {
    await persistently(ctx.log, () => neverBegan(ctx, intent.id, 'too_late'))
    return 'failed'
  }
  const times = { startWithinMs: handOffWithinMs - elapsedMs, timeoutMs: ctx.config.handOffTimeoutMs }
  const result = await handOffMessages(access, form, [person], times)
  await pausePoint(ctx, 'after_handoff')

  if (result.kind !== 'accepted')
    ctx.log.warn({ result, test_send_id: intent.id }, 'a test send was not simply accepted')
  const answered = { ...intent, line: lineOf(workspaceId, sender) }
  await persistently(ctx.log, () => ctx.tx((em) => settleTest(em, answered, result)))
  return outcomeOf(result)
}

const outcomeOf = ({ kind }: HandOffResult): string => (kind === 'accepted' || kind === 'unknown' ? kind : 'failed')

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
    if (!isUnderWay(test) || Date.now() >= until) return id
    await sleep(twinPollMs)
  }
}

const isUnderWay = (test: TestSendRow | undefined): boolean => test?.hand_off_state === 'claimed'
