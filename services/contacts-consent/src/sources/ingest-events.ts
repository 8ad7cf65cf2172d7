import { columns, prepared, sql, statement, unplanned, type Em } from '@lettergate/database'
import type { Fault } from '@lettergate/fault'
import { traced } from '@lettergate/service/tracing'
import { findReceipts } from './source-receipt.entity.ts'
import { findPresented, presentedIn } from './subscription-source.entity.ts'
import { workspaceBatch, type WorkspaceBatch } from '../workspaces/workspace-batch.ts'
import type { KeyRing } from '../values/key-ring.ts'
import { refusalOf, type Admission } from './source-admission.ts'
import type { SourceEvent } from './source-event.ts'
import { recordClaims } from './record-claims.ts'
import { fillContacts } from './fill-contacts.ts'
import {
  firstOfEach,
  receiptIndex,
  settleEvent,
  type AdmittedEvent,
  type AudienceStates,
  type Settled,
} from './settle-event.ts'
import { Audience } from '../audiences/audience.entity.ts'

/** The event of a source with its credential. */
export interface SubmittedEvent {
  admission: Admission
  event: SourceEvent
  correlationId: string
}

/** `unknown_credential`: the presented credential does not belong to this workspace; the caller must look it up in all workspaces. */
export type Ingested = Settled | 'unknown_credential'

type Answers = (Ingested | Fault)[]

/** The admitted events. The others get their answer here. */
async function admit(
  em: Em,
  workspaceId: string,
  items: readonly SubmittedEvent[],
  answers: Answers,
): Promise<AdmittedEvent[]> {
  const found = await findPresented(
    em,
    workspaceId,
    items.map((item) => item.admission.presented),
  )
  return items.flatMap(({ admission, event, correlationId }, n) => {
    const source = presentedIn(found, admission.presented)
    const refusal = source && refusalOf(admission, workspaceId, source)
    if (source && !refusal) return [{ n, source, event, correlationId }]
    answers[n] = refusal ?? 'unknown_credential'
    return []
  })
}

const selectAudiences = statement('hold-source-audiences', columns(Audience, 'id', 'archived_at'))

/** The existing audiences of these events, locked against deletion until the commit. */
async function holdAudiences(em: Em, workspaceId: string, events: readonly AdmittedEvent[]): Promise<AudienceStates> {
  const ids = [...new Set(events.map(({ event }) => event.audienceId))]
  const found = await selectAudiences.rows(
    em,
    prepared(sql`select id, archived_at from audiences
         where workspace_id = ${workspaceId} and id = any(${unplanned(ids, 'uuid[]')}) order by id for key share`),
  )
  return new Map(found.map(({ id, archived_at }) => [id, { is_archived: archived_at !== null }]))
}

/** Answers the events with an earlier receipt or a refusal, and returns the others. */
async function settle(
  em: Em,
  { workspaceId, audiences }: { workspaceId: string; audiences: AudienceStates },
  events: readonly AdmittedEvent[],
  answers: Answers,
): Promise<AdmittedEvent[]> {
  const earlierOf = receiptIndex(
    await findReceipts(
      em,
      workspaceId,
      events.map(({ source, event: { idempotencyKey, sourceEventId } }) => ({
        sourceId: source.id,
        idempotencyKey,
        sourceEventId,
      })),
    ),
  )
  return events.filter((one) => {
    const settled = settleEvent(one, earlierOf(one), audiences)
    if (settled) answers[one.n] = settled
    return !settled
  })
}

/**
 * Records events of one workspace in one transaction, in order and independently of each other. Events of one address or key run
 * in separate rounds. Each round looks up the keys again after it locks the contacts, so that only one of concurrent duplicates
 * is accepted. A different payload under a key of a concurrent transaction violates the unique constraint; then the events of
 * the batch run one by one.
 */
async function ingestAll(
  em: Em,
  { workspaceId, erasureHashKeys }: { workspaceId: string; erasureHashKeys: KeyRing },
  items: readonly SubmittedEvent[],
): Promise<Answers> {
  const answers: Answers = []
  let waiting = await admit(em, workspaceId, items, answers)
  if (waiting.length === 0) return answers
  const world = { workspaceId, audiences: await holdAudiences(em, workspaceId, waiting) }
  for (;;) {
    waiting = await settle(em, world, waiting, answers)
    if (waiting.length === 0) return answers
    const round = firstOfEach(waiting)
    const created = await fillContacts(em, { workspaceId, erasureHashKeys }, round)
    const unsettled = await settle(em, world, round, answers)
    for (const { n, receipt } of await recordClaims(em, workspaceId, unsettled, created)) {
      answers[n] = { receipt, isDuplicate: false }
    }
    const done = new Set(round)
    waiting = waiting.filter((one) => !done.has(one))
    if (waiting.length === 0) return answers
  }
}

/** Batches concurrent events. Each caller gets its own answer or Fault. */
export type EventIngester = WorkspaceBatch<SubmittedEvent, Ingested>

export const openEventIngester = ({ erasureHashKeys }: { erasureHashKeys: KeyRing }): EventIngester =>
  workspaceBatch<SubmittedEvent, Ingested>((em, workspaceId, items) =>
    traced('ingest source events', { attributes: { 'lettergate.batch.size': items.length } }, () =>
      ingestAll(em, { workspaceId, erasureHashKeys }, items),
    ),
  )
