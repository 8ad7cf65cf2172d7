import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { column, newId, sql, statement, type Database, type Em } from '@lettergate/database'
import { transaction } from '@lettergate/database/transaction'
import { systemCaller } from '@lettergate/service'
import type { EventMeta } from '../message.ts'
import { endAlert } from '../end-alert.ts'
import { publish } from '../publish.ts'
import { withoutAddresses } from './without-addresses.ts'

const errorCharsMax = 2_000

/** The text of an error as it is stored and shown, without addresses. */
export const errorText = (error: unknown): string =>
  withoutAddresses(error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, errorCharsMax)

const insertDeadLetter = statement('insert-dead-letter')

/** Stores an event that could not be handled with its error, and raises an alert; once for each consumer and event. */
export async function storeDeadLetter(
  db: Database,
  failed: {
    consumer: string
    subject: string
    meta: EventMeta
    payload: Uint8Array
    attempts: number
    error: unknown
  },
): Promise<void> {
  const { consumer, subject, meta, payload, attempts, error } = failed
  await transaction(
    db,
    { caller: systemCaller('keep-dead-letter', meta.correlationId), workspaceId: null, system: 'keep-dead-letter' },
    async (em) => {
      const added = await insertDeadLetter.execute(
        em,
        sql`insert into dead_letters (id, consumer, subject, event_id, payload, headers, attempts, error)
          values (${newId()}, ${consumer}, ${subject}, ${meta.id}, ${Buffer.from(payload)}, ${JSON.stringify(meta)}::jsonb, ${attempts}, ${errorText(error)}) on conflict do nothing`,
      )
      if (added > 0) await raiseAlert(em, consumer, meta.id)
    },
  )
}

export const raiseAlert = (em: Em, consumer: string, eventId: string): Promise<void> =>
  publish(em, AlertRaisedSchema, {
    code: 'dead_letter',
    severity: 'critical',
    summary: `${consumer} could not handle an event; look at the dead letters`,
    detail: { consumer, event_id: eventId },
    about: consumer,
  })

const lockConsumer = statement('lock-dead-letters-of-consumer', { locked: column.text() })
const selectDead = statement('select-whether-dead-letters-remain', { remain: column.boolean() })

/** Ends the alert about a consumer with its last dead letter. The lock lets only one of two concurrent endings be the last. */
export async function endAlertWithLast(em: Em, consumer: string): Promise<void> {
  await lockConsumer.row(
    em,
    sql`select pg_advisory_xact_lock(hashtext(current_schema()), hashtext(${consumer}))::text as locked`,
  )
  const found = await selectDead.row(
    em,
    sql`select exists (select from dead_letters where consumer = ${consumer} and state in ('dead', 'replaying')) as remain`,
  )
  if (!found!.remain) await endAlert(em, 'dead_letter', consumer)
}
