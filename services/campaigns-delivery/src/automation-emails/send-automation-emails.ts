import { setTimeout as sleep } from 'node:timers/promises'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type {
  SendAutomationEmailsRequest,
  SendAutomationEmailsResponseSchema,
} from '@lettergate/contracts/campaigns/v1/automation_emails'
import { Fault, isOutage } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import type { DeliveryDeps } from '../delivery/deliver-batches.ts'
import { readEmails, type StoredEmail } from './automation-email.entity.ts'
import { parseEmails, type StepEmail } from './email-input.ts'
import { resultOf, type EmailResult, type Waiting } from './email-results.ts'
import { setsOf, type EmailSet } from './email-sets.ts'
import { sendSet } from './send-set.ts'
import type { WaitingEmails } from './waiting-emails.ts'
import type { WorkAfterAnswer } from './work-after-answer.ts'

/** The worker's parts that send the emails of automations. */
export interface AutomationDelivery {
  delivery: DeliveryDeps
  afterAnswer: WorkAfterAnswer
  waiting: WaitingEmails
}

export type WorkerCtx = Ctx & { automationDelivery: AutomationDelivery }

/** No set is begun when less than this is left before the caller's deadline. */
const beginMs = 1_000
/** The answer is given this long before the deadline. Calls that are under way end after it. */
const answerMs = 300
const setsAtOnce = 4
/** A verdict covers at most 1,000 pairs of contact and audience, and an email has up to nine more candidates. */
const setMax = 100

/**
 * Sends the emails of steps, each at most once: those that have no final result yet and can be sent before the deadline.
 * Answers what is known about every step. Safe to repeat, also at the same time.
 */
export async function sendAutomationEmails(
  ctx: WorkerCtx,
  req: SendAutomationEmailsRequest,
): Promise<Reply<typeof SendAutomationEmailsResponseSchema>> {
  const emails = parseEmails(req.emails)
  const stepIds = [...emails.keys()]
  const stored = await ctx.tx((em) => readEmails(em, ctx.workspaceId, stepIds))
  requireSameSteps(emails, stored)
  const open = [...emails.values()].filter(({ stepId }) => isOpen(stored.get(stepId)))
  const sets = setsOf(open, (stepId) => stored.get(stepId), Math.min(setMax, ctx.config.deliveryBatchSize))

  const known = new Map<string, EmailResult | Waiting>()
  const { waiting, afterAnswer } = ctx.automationDelivery
  waiting.begin(
    open.map(({ stepId }) => stepId),
    ctx.deadline,
  )
  const sending = sendSets(ctx, sets, known)
  afterAnswer.add(sending)
  await firstOf(sending, ctx.deadline - answerMs)

  const now = await ctx.withoutDeadline().tx((em) => readEmails(em, ctx.workspaceId, stepIds))
  const answeredAt = ctx.now()
  const results = req.emails.map(({ stepId }) => {
    const id = stepId.toLowerCase()
    const result = finalOf(now.get(id), known.get(id))
    waiting.end(id, result, answeredAt.getTime())
    return replyOf(stepId, result, answeredAt)
  })
  return { results }
}

const isOpen = (email: StoredEmail | undefined) => email === undefined || email.state === 'pending'

/** Fault `conflict` when a step id names another message already. */
function requireSameSteps(emails: ReadonlyMap<string, StepEmail>, stored: ReadonlyMap<string, StoredEmail>): void {
  for (const { id, automation_id, contact_id } of stored.values()) {
    const email = emails.get(id)!
    if (email.automationId === automation_id && email.contactId === contact_id) continue
    throw new Fault('conflict', 'step_differs', `step_id ${id} names a message of another automation or contact.`)
  }
}

/** Sends the sets, some of them at once, until too little time is left. The first unexpected error is thrown at the end. */
async function sendSets(ctx: WorkerCtx, sets: readonly EmailSet[], known: Map<string, EmailResult | Waiting>) {
  // A call that was begun ends and is stored, whether or not its caller waits.
  const own = ctx.withoutDeadline()
  const { delivery } = ctx.automationDelivery
  const mayBegin = () => Date.now() < ctx.deadline - beginMs
  const waiting = [...sets]
  const errors: unknown[] = []
  const tell = (set: EmailSet, result: EmailResult | Waiting) => {
    for (const { stepId } of set.emails) known.set(stepId, result)
  }

  async function sendOne(set: EmailSet) {
    try {
      const sent = await sendSet(own, delivery, set, mayBegin)
      if (sent.kind === 'waiting') tell(set, sent.why)
      if (sent.kind === 'impossible') tell(set, { outcome: 'failed', reasons: [sent.reason] })
    } catch (error) {
      tell(set, { reason: 'unavailable', retryInMs: 2_000 })
      if (isOutage(error)) own.log.warn({ err: error }, 'emails of an automation cannot be sent now')
      else errors.push(error)
    }
  }
  async function lane() {
    while (mayBegin()) {
      const set = waiting.shift()
      if (!set) return
      await sendOne(set)
    }
  }
  await Promise.all(Array.from({ length: setsAtOnce }, lane))
  if (errors.length > 0) throw errors[0]
}

/** Waits for the work, at most until this time. */
async function firstOf(work: Promise<void>, until: number): Promise<void> {
  const aborter = new AbortController()
  const ms = Math.max(0, Math.min(until - Date.now(), 2 ** 31 - 1))
  const timer = sleep(ms, undefined, { signal: aborter.signal }).catch(() => undefined)
  try {
    await Promise.race([work, timer])
  } finally {
    aborter.abort()
  }
}

const finalOf = (stored: StoredEmail | undefined, known: EmailResult | Waiting | undefined): EmailResult =>
  known !== undefined && 'outcome' in known ? known : resultOf(stored, known)

function replyOf(stepId: string, result: EmailResult, now: Date) {
  const { outcome, reasons, messageId } = result
  return {
    stepId,
    outcome,
    reasons,
    ...(messageId === undefined ? {} : { messageId }),
    ...('audienceId' in result && result.audienceId !== null ? { audienceId: result.audienceId } : {}),
    ...(result.outcome === 'waiting' ? waitingReply(result, now) : {}),
  }
}

const waitingReply = (result: EmailResult & { outcome: 'waiting' }, now: Date) => ({
  retryAt: timestampFromMs(now.getTime() + result.retryInMs),
  isHeld: result.isHeld ?? false,
})
