import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, newId, sql, type Database } from '@lettergate/database'
import { transaction } from '@lettergate/database/transaction'
import { systemCaller } from '@lettergate/service'
import type { EventMeta } from './message.ts'
import { publish } from './publish.ts'

/** Keeps an event that could not be handled, with why, and raises an alert; once for each consumer and event. */
export async function keepDeadLetter(
  db: Database,
  letter: { consumer: string; subject: string; meta: EventMeta; payload: Uint8Array; error: unknown },
): Promise<void> {
  const { consumer, subject, meta, payload, error } = letter
  const reason = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 2_000)
  await transaction(
    db,
    { caller: systemCaller('keep-dead-letter', meta.correlationId), workspaceId: null, system: 'keep-dead-letter' },
    async (em) => {
      const added = await execute(
        em,
        sql`insert into dead_letters (id, consumer, subject, event_id, payload, headers, error)
          values (${newId()}, ${consumer}, ${subject}, ${meta.id}, ${Buffer.from(payload)}, ${JSON.stringify(meta)}::jsonb, ${reason}) on conflict do nothing`,
      )
      if (added > 0) {
        await publish(em, AlertRaisedSchema, {
          code: 'dead_letter',
          severity: 'critical',
          summary: `${consumer} could not handle an event; look at the dead letters`,
          detail: { consumer, event_id: meta.id },
          about: consumer,
        })
      }
    },
  )
}
