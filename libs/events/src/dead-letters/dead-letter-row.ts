import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { DeadLetterSchema } from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { row, sql, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import type { Reply } from '@lettergate/rpc'
import type { EventMeta } from '../message.ts'
import { payloadIds } from './payload-ids.ts'
import { withoutAddresses } from './without-addresses.ts'

export const states = ['dead', 'replaying', 'replayed', 'discarded'] as const

export interface DeadLetterRow {
  id: string
  consumer: string
  subject: string
  event_id: string
  payload: Uint8Array
  headers: Omit<EventMeta, 'time' | 'source'> & { time: string }
  error: string
  attempts: number
  state: (typeof states)[number]
  created_at: string
  replay_requested_at: string | null
  replayed_at: string | null
  discarded_at: string | null
  discard_reason: string | null
}

export const columns = sql`id, consumer, subject, event_id, payload, headers, error, attempts, state, created_at, replay_requested_at, replayed_at, discarded_at, discard_reason`

/** The dead letter of that id. Throws Fault `not_found`. */
export async function requireDeadLetter(em: Em, id: string, lock = sql``): Promise<DeadLetterRow> {
  const found = await findDeadLetter(em, id, lock)
  if (!found) throw new Fault('not_found', 'dead_letter', 'There is no such dead letter.')
  return found
}

/**
 * The dead letter of that id, locked until the transaction ends. One that is being replayed is locked by its replay for as
 * long as the handler takes, and nobody waits for that: it is answered as it is, with `isLocked` false.
 */
export async function lockDeadLetter(em: Em, id: string): Promise<{ letter: DeadLetterRow; isLocked: boolean }> {
  const locked = await findDeadLetter(em, id, sql`for update skip locked`)
  if (locked) return { letter: locked, isLocked: true }
  const letter = await requireDeadLetter(em, id)
  if (letter.state === 'replaying') return { letter, isLocked: false }
  // another request has it, for a moment
  return { letter: await requireDeadLetter(em, id, sql`for update`), isLocked: true }
}

const findDeadLetter = async (em: Em, id: string, lock: ReturnType<typeof sql>) =>
  isUuid(id)
    ? row<DeadLetterRow>(em, sql`select ${columns} from dead_letters where id = ${id}::uuid ${lock}`)
    : undefined

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
