import { openRegistry } from '@lettergate/service/registry'
import type { Ctx } from '../ctx.ts'
import { openDeliveryMetrics } from '../delivery/metrics.ts'
import { formBody } from '../provider/mailgun/message-form.ts'
import type { SyntheticRecipients } from './synthetic-recipients.ts'

/** A worker that ends at this point, as far as the database can tell. */
export class RehearsedCrash extends Error {}

/** Where the worker of a batch ends: `before_intent` with nothing stored, `after_intent` before it knows the result. */
export type CrashPoint = 'before_intent' | 'after_intent'

export interface RehearsedWorker {
  ctx: Ctx
  /** The worker of the next batch ends at this point. */
  crashNext(point: CrashPoint | undefined): void
  /** The last call that was made instead of one to the provider: by `performance.now()`, and its recipients. */
  lastCall(): { calledAt: number; answeredAt: number; recipients: number }
}

/** Begins the ids that stand in for those of a provider. */
export const rehearsedIdPrefix = 'rehearsed-'

/**
 * The context of the rehearsed delivery: the transaction that is rolled back, answers of contacts-consent that are known, and
 * instead of the provider a function that builds the request and calls nobody. It has no credential and no address of a
 * provider, so that no other code could call one. Its metrics are not those of the process.
 */
export function rehearsedWorker(inside: Ctx, recipients: SyntheticRecipients): RehearsedWorker {
  let crashing: CrashPoint | undefined
  let calls = 0
  let lastCall = { calledAt: 0, answeredAt: 0, recipients: 0 }
  const crashAt = (point: CrashPoint) => {
    if (crashing !== point) return
    crashing = undefined
    throw new RehearsedCrash(point)
  }
  const contacts: Pick<Ctx['contacts'], 'streamAudienceVerdicts' | 'prepareRecipients'> = {
    async *streamAudienceVerdicts() {
      yield* recipients.verdicts
    },
    async prepareRecipients(_ctx, request) {
      crashAt('before_intent')
      const answers = request.recipients!.map(({ contactId }) => recipients.prepared.get(contactId!)!)
      return {
        $typeName: 'lettergate.contacts.v1.PrepareRecipientsResponse',
        recipients: answers,
        ...(recipients.linkBases && { linkBases: recipients.linkBases }),
      }
    },
  }
  const handOffMessages: Ctx['handOffMessages'] = async (_access, form, messages) => {
    crashAt('after_intent')
    const calledAt = performance.now()
    formBody(form, messages)
    calls += 1
    lastCall = { calledAt, answeredAt: performance.now(), recipients: messages.length }
    return { kind: 'accepted', providerMessageId: `${rehearsedIdPrefix}${calls}` }
  }
  const ctx = Object.assign(inside, {
    contacts: contacts as Ctx['contacts'],
    handOffMessages,
    metrics: { ...inside.metrics, ...openDeliveryMetrics({ metrics: openRegistry() }) },
    config: {
      ...inside.config,
      credential: () => 'none',
      providerUsBaseUrl: nowhere,
      providerEuBaseUrl: nowhere,
      deliveryPauseAt: 'never' as const,
    },
  })
  return { ctx, crashNext: (point) => void (crashing = point), lastCall: () => lastCall }
}

/** No server can have a name in this domain (RFC 2606). */
const nowhere = 'http://provider.invalid'
