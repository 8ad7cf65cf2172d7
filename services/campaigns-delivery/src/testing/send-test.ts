import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { traced } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import { sendMessages, type Judge } from '../delivery/send-messages.ts'
import { judgingNow } from '../delivery/verdicts.ts'
import { findByKey } from '../idempotency/idempotency-key.entity.ts'
import { requireConditions, type TestParties } from './test-facts.ts'
import { inCooldown, testOrigin } from './test-intent.ts'
import { testMessage } from './test-message.ts'
import { findTestSend, isUnderWay } from './test-send.entity.ts'
import type { TestSendInput } from './test-send-input.ts'

/** Conditions are not checked again when less than this is left before the caller's deadline. */
const lastAnswerMs = 5_000
const duplicatePollMs = 50
const duplicateWaitMs = 25_000

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
  let parties: TestParties | undefined
  const judge: Judge = async () => {
    if (parties && Date.now() > ctx.deadline - lastAnswerMs) throw slow()
    const isCurrent = ctx.changes.watch(ctx.workspaceId)
    const judged = await judgingNow(ctx)
    parties = await requireConditions(ctx, input)
    return { ...(await testMessage(ctx, { id, input, parties })), judged, sender: parties.sender, isCurrent }
  }
  const origin = testOrigin(ctx, { id, input, parties: () => parties! })
  let sent = await sendMessages(ctx, origin, judge)
  // Many tests of one workspace wait for its caps one after another. Each may wait until its caller's deadline.
  while (sent.kind === 'postponed' && sent.why === 'verdicts_late') sent = await sendMessages(ctx, origin, judge)
  if (sent.kind === 'stopped') return undefined
  if (sent.kind === 'claimed') return sent.results[0] === 'pending' ? 'failed' : sent.results[0]!
  throw sent.until ? inCooldown(sent.until, ctx.now()) : new Error(`a test send was not claimed: ${sent.why}`)
}

const slow = () =>
  new Fault(
    'unavailable',
    'conditions_slow',
    'The conditions of a test send could not be checked in time. Send it again.',
  )

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
