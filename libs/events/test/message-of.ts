import { newId } from '@lettergate/database'
import { groupsOf, toMessage, type GroupedRow, type WaitingGroup } from '../src/event-batch.ts'
import type { OutboxEntry } from '../src/message.ts'

/** An outbox row with its payload in base64. */
export type OutboxRow = OutboxEntry & GroupedRow

/** The groups of these rows, as if one transaction had written them. All have the event and the time of the first. */
export function waitingGroups(rows: readonly OutboxRow[]): WaitingGroup[] {
  const { event, headers, created_at } = rows[0]!
  return groupsOf(rows).map(({ ids, payloadBytes, text }) => ({
    id: newId(),
    event,
    type: headers.type,
    time: new Date(created_at).toISOString(),
    events: ids.length,
    payloadBytes,
    text,
  }))
}

/** One message with these rows. */
export const messageOf = (service: string, rows: readonly OutboxRow[]) => toMessage(service, waitingGroups(rows))
