import type { FinishedStep } from './insert-steps.ts'

/** The reason of an email whose call to the provider is not finished. */
export const underWay = 'under_way'
/** The reason of an email about which campaigns-delivery did not answer. */
export const deliveryUnavailable = 'delivery_unavailable'

/** Reasons for which a step waits although its email may be sent already, or by a call that outlasts its answer. */
const unsettled: readonly string[] = [underWay, deliveryUnavailable, 'deadline']

/** Whether the last attempt at a step leaves it open whether its email is sent. */
export const isUnsettled = (waitingReason: string | null): waitingReason is string =>
  waitingReason !== null && unsettled.includes(waitingReason)

/**
 * What is recorded of a step when its enrollment ends before anybody knows whether its email is sent; undefined if it is not. The
 * message of a step has its id.
 */
export const unsettledEmail = (stepId: string, waitingReason: string | null): FinishedStep | undefined =>
  isUnsettled(waitingReason)
    ? {
        nodeType: 'send_email',
        outcome: 'unknown',
        reasons: [waitingReason],
        ...(waitingReason === underWay ? { messageId: stepId } : {}),
      }
    : undefined
