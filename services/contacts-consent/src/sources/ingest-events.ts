import { kyselyOf, type Em } from '@lettergate/database'
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

/** One source's event with what it presented. */
export interface HandedIn {
  admission: Admission
  event: SourceEvent
  correlationId: string
}

/** `stranger`: what was presented is nothing of this workspace, and what it is has to be found out elsewhere. */
export type Ingested = Settled | 'stranger'

type Answers = (Ingested | Fault)[]

/** Those that are let in; the others get their answer here. */
async function admit(
  em: Em,
  workspaceId: string,
  items: readonly HandedIn[],
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
    answers[n] = refusal ?? 'stranger'
    return []
  })
}

/** The audiences that are named and exist, held so that none is deleted before the commit. */
async function holdAudiences(em: Em, workspaceId: string, events: readonly AdmittedEvent[]): Promise<AudienceStates> {
  const ids = [...new Set(events.map(({ event }) => event.audienceId))]
  const found = await kyselyOf(em, Audience)
    .selectFrom('audiences')
    .select(['id', 'archived_at'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Map(found.map(({ id, archived_at }) => [id, { is_archived: archived_at !== null }]))
}

/** Answers those that are settled by what was taken before, or refused, and returns the rest. */
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
 * Takes events of one workspace in one transaction, each as if it had come alone and in this order. Those of one address
 * or key follow each other in rounds; in each, keys are looked up again once the contacts are held, so that of exact
 * copies in other transactions one is accepted. Another payload under a key that is being written elsewhere hits the
 * unique constraint; the batch then runs again one by one.
 */
async function ingestAll(
  em: Em,
  { workspaceId, erasureHashKeys }: { workspaceId: string; erasureHashKeys: KeyRing },
  items: readonly HandedIn[],
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

/** Collects events that arrive together; each caller gets its own answer, a refusal as the Fault that it is. */
export type EventIngester = WorkspaceBatch<HandedIn, Ingested>

export const openEventIngester = ({ erasureHashKeys }: { erasureHashKeys: KeyRing }): EventIngester =>
  workspaceBatch<HandedIn, Ingested>((em, workspaceId, items) =>
    traced('ingest source events', { attributes: { 'lettergate.batch.size': items.length } }, () =>
      ingestAll(em, { workspaceId, erasureHashKeys }, items),
    ),
  )
