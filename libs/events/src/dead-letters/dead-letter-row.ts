import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { DeadLetterSchema } from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { kyselyOf, type Em, type Row } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import type { Reply } from '@lettergate/rpc'
import type { EventMeta } from '../message.ts'
import { DeadLetter } from './dead-letter.entity.ts'
import { payloadIds } from './payload-ids.ts'
import { withoutAddresses } from './without-addresses.ts'

export type DeadLetterRow = Row<typeof DeadLetter>

/** What to do about a row that somebody else has locked. */
type Lock = 'wait' | 'skip locked'

/** The dead letter of that id. Throws Fault `not_found`. */
export async function requireDeadLetter(em: Em, id: string, lock?: Lock): Promise<DeadLetterRow> {
  const found = await findDeadLetter(em, id, lock)
  if (!found) throw new Fault('not_found', 'dead_letter', 'There is no such dead letter.')
  return found
}

/**
 * The dead letter of that id, locked until the transaction ends. One that is being replayed is locked by its replay for as
 * long as the handler takes, and nobody waits for that: it is answered as it is, with `isLocked` false.
 */
export async function lockDeadLetter(em: Em, id: string): Promise<{ letter: DeadLetterRow; isLocked: boolean }> {
  const locked = await findDeadLetter(em, id, 'skip locked')
  if (locked) return { letter: locked, isLocked: true }
  const letter = await requireDeadLetter(em, id)
  if (letter.state === 'replaying') return { letter, isLocked: false }
  // another request has it, for a moment
  return { letter: await requireDeadLetter(em, id, 'wait'), isLocked: true }
}

async function findDeadLetter(em: Em, id: string, lock: Lock | undefined): Promise<DeadLetterRow | undefined> {
  if (!isUuid(id)) return undefined
  const found = kyselyOf(em, DeadLetter).selectFrom('dead_letters').selectAll().where('id', '=', id)
  const locked = lock === undefined ? found : found.forUpdate()
  return (lock === 'skip locked' ? locked.skipLocked() : locked).executeTakeFirst()
}

/** What carried the event, as it was when it arrived. */
export const metaOfRow = ({ headers, subject }: DeadLetterRow): EventMeta => ({
  ...headers,
  // rows of earlier releases have it in the subject alone
  source: subject.split('.').at(-2) ?? '',
  time: new Date(headers.time),
})

const at = (time: string | null) => (time === null ? undefined : timestampFromDate(new Date(time)))

/** As people of the platform see it: ids, times and the error, and nothing that says who a person is. */
export function shownDeadLetter(service: string, letter: DeadLetterRow): Reply<typeof DeadLetterSchema> {
  const meta = metaOfRow(letter)
  const event = letter.subject.split('.').at(-1) ?? ''
  const [errorClass, ...message] = letter.error.split(': ')
  return {
    id: letter.id,
    service,
    consumer: letter.consumer,
    state: letter.state,
    event,
    eventId: letter.event_id,
    announcedBy: meta.source,
    announcedAt: timestampFromDate(meta.time),
    workspaceId: meta.workspaceId ?? undefined,
    correlationId: meta.correlationId,
    traceId: meta.trace['traceparent']?.split('-')[1],
    payloadIds: payloadIds(event, letter.payload),
    attempts: letter.attempts,
    errorClass: message.length === 0 ? 'Error' : errorClass!,
    // rows of earlier releases were stored as they came
    errorMessage: withoutAddresses(message.length === 0 ? letter.error : message.join(': ')),
    failedAt: timestampFromDate(new Date(letter.created_at)),
    replayRequestedAt: at(letter.replay_requested_at),
    replayedAt: at(letter.replayed_at),
    discardedAt: at(letter.discarded_at),
    discardReason: letter.discard_reason ?? undefined,
  }
}
