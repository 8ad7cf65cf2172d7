import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { DeadLetterSchema } from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { kyselyOf, type Em, type Row } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import type { Reply } from '@lettergate/rpc'
import { moment } from '@lettergate/values/moment'
import { actorKindOf, type EventMeta } from '../message.ts'
import { DeadLetter } from './dead-letter.entity.ts'
import { payloadIds } from './payload-ids.ts'
import { withoutAddresses } from './without-addresses.ts'

export type DeadLetterRow = Row<typeof DeadLetter>

/** What to do if another transaction has locked the row. */
type Lock = 'wait' | 'skip locked'

/** The dead letter with this id. Throws Fault `not_found`. */
export async function requireDeadLetter(em: Em, id: string, lock?: Lock): Promise<DeadLetterRow> {
  const found = await findDeadLetter(em, id, lock)
  if (!found) throw new Fault('not_found', 'dead_letter', 'There is no such dead letter.')
  return found
}

/**
 * The dead letter with this id, locked until the transaction ends. A replay locks the row while its handler runs. This function
 * does not wait for a replay: it returns the row without a lock, and `isLocked` is false.
 */
export async function lockDeadLetter(em: Em, id: string): Promise<{ deadLetter: DeadLetterRow; isLocked: boolean }> {
  const locked = await findDeadLetter(em, id, 'skip locked')
  if (locked) return { deadLetter: locked, isLocked: true }
  const deadLetter = await requireDeadLetter(em, id)
  if (deadLetter.state === 'replaying') return { deadLetter, isLocked: false }
  // another request holds the lock for a moment
  return { deadLetter: await requireDeadLetter(em, id, 'wait'), isLocked: true }
}

async function findDeadLetter(em: Em, id: string, lock: Lock | undefined): Promise<DeadLetterRow | undefined> {
  if (!isUuid(id)) return undefined
  const found = kyselyOf(em, DeadLetter).selectFrom('dead_letters').selectAll().where('id', '=', id)
  const locked = lock === undefined ? found : found.forUpdate()
  return (lock === 'skip locked' ? locked.skipLocked() : locked).executeTakeFirst()
}

/** The metadata of the event, as it was received. */
export const metaOfRow = ({ headers, subject }: DeadLetterRow): EventMeta => ({
  ...headers,
  // rows of earlier releases have neither
  actorKind: actorKindOf(headers.actorKind),
  authMethod: headers.authMethod ?? null,
  // rows of earlier releases have the source only in the subject
  source: subject.split('.').at(-2) ?? '',
  time: new Date(headers.time),
})

/** The dead letter for administrators of the platform: ids, times and the error, without personal data. */
export function shownDeadLetter(service: string, deadLetter: DeadLetterRow): Reply<typeof DeadLetterSchema> {
  const meta = metaOfRow(deadLetter)
  const event = deadLetter.subject.split('.').at(-1) ?? ''
  const [errorClass, ...message] = deadLetter.error.split(': ')
  return {
    id: deadLetter.id,
    service,
    consumer: deadLetter.consumer,
    state: deadLetter.state,
    event,
    eventId: deadLetter.event_id,
    announcedBy: meta.source,
    announcedAt: timestampFromDate(meta.time),
    workspaceId: meta.workspaceId ?? undefined,
    correlationId: meta.correlationId,
    traceId: meta.trace['traceparent']?.split('-')[1],
    payloadIds: payloadIds(event, deadLetter.payload),
    attempts: deadLetter.attempts,
    errorClass: message.length === 0 ? 'Error' : errorClass!,
    // earlier releases stored the error text with addresses
    errorMessage: withoutAddresses(message.length === 0 ? deadLetter.error : message.join(': ')),
    failedAt: moment(deadLetter.created_at),
    replayRequestedAt: moment(deadLetter.replay_requested_at),
    replayedAt: moment(deadLetter.replayed_at),
    discardedAt: moment(deadLetter.discarded_at),
    discardReason: deadLetter.discard_reason ?? undefined,
  }
}
