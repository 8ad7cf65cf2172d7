import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { handledBy } from '@lettergate/events/inbox'
import type { Ctx } from '../src/ctx.ts'
import { onProviderEventReceived } from '../src/events/on-provider-event-received.ts'
import type { HandOffState } from '../src/delivery/hand-off.entity.ts'
import type { MessageEnd } from '../src/messages/message-fact.entity.ts'
import { at, type ReportedEvent } from './events-stage.ts'
import { insertFacts, insertHandOff } from './message-rows.ts'
import { openRows } from './rows-stage.ts'

/** A recipient of a run before the events arrive. Recipients of one batch and state are in one hand-off. */
export interface RecipientBefore {
  batch: number
  /** undefined: neither handed over nor ended */
  state?: Exclude<HandOffState, 'put_back'> | undefined
  /** how many hand-offs with this recipient were put back before */
  putBacks?: number
  end?: MessageEnd | undefined
}

export interface ArrivingEvent {
  id: string
  messageId: string
  reported: ReportedEvent
  isReplay?: boolean
}

/** Runs with hand-offs and facts of any kind. A test gives the events to the consumer itself, in batches of its choice. */
export async function openFacts() {
  const rows = await openRows()
  const { stage } = rows
  const workspaceId = newId()
  const breakerLimits = { complaintRate: 100, hardBounceRate: 100, settledMin: 1_000_000 }
  const ctx = Object.assign(rows.in(workspaceId), { config: { breakerLimits } }) as unknown as Ctx

  const insertRecipients = (runId: string, recipients: readonly RecipientBefore[], messageIds: readonly string[]) =>
    stage.query(
      `insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email)
       select $1, t.id, $2, t.batch, t.id, $2, 'recipient-' || t.n || '@example.org' from unnest($3::uuid[], $4::integer[]) with ordinality as t (id, batch, n)`,
      [workspaceId, runId, messageIds, recipients.map(({ batch }) => batch)],
    )

  /** Inserts a run that is being sent. Returns the message ids in the order of the recipients. */
  async function run(recipients: readonly RecipientBefore[]) {
    const batches = Math.max(...recipients.map(({ batch }) => batch)) + 1
    const { runId, connectionId } = await rows.run(workspaceId, batches)
    const messageIds = recipients.map(() => newId())
    await insertRecipients(runId, recipients, messageIds)
    for (const { batch, state, among } of handOffsOf(recipients))
      await insertHandOff(stage, {
        workspaceId,
        id: newId(),
        originId: runId,
        connectionId,
        batch,
        state,
        messageIds: among.map((index) => messageIds[index]!),
        ...(state === 'failed' || state === 'unknown' ? { reason: 'refused' } : {}),
      })
    for (const [index, { end }] of recipients.entries())
      if (end !== undefined)
        await insertFacts(stage, { workspaceId, originId: runId, messageId: messageIds[index]! }, [
          { fact: end, reasons: ['refused'] },
        ])
    // The same times in each run, so that reports can be compared.
    await stage.query(`update campaigns.campaign_runs set started_at = $2 where id = $1`, [runId, at(0)])
    await stage.query(`update campaigns.hand_offs set judged_at = $2, claimed_at = $2 where origin_id = $1`, [
      runId,
      at(0),
    ])
    return { runId, messageIds }
  }

  /** Handles these events as one batch. */
  const arrive = (events: readonly ArrivingEvent[]) =>
    onProviderEventReceived.handle(
      ctx,
      events.map((event) => ({ ...received(workspaceId, event), [handledBy]: onProviderEventReceived.name })),
    )

  return { stage, ctx, run, arrive, close: () => rows.close() }
}

export type FactsStage = Awaited<ReturnType<typeof openFacts>>

/** The hand-offs of these recipients: those that were put back first. `among` has positions of recipients. */
function handOffsOf(recipients: readonly RecipientBefore[]) {
  const all = recipients.map(({ batch, state, putBacks = 0 }, index) => ({ index, batch, state, putBacks }))
  const roundsMax = Math.max(...all.map(({ putBacks }) => putBacks))
  const putBack = Array.from({ length: roundsMax }, (_, round) =>
    handOffsIn(
      'put_back',
      all.filter(({ putBacks }) => putBacks > round),
    ),
  )
  const last = states.map((state) =>
    handOffsIn(
      state,
      all.filter((recipient) => recipient.state === state),
    ),
  )
  return [...putBack, ...last].flat()
}

const states = ['claimed', 'accepted', 'failed', 'unknown'] as const

/** One hand-off for each batch of these recipients. */
const handOffsIn = (state: HandOffState, recipients: readonly { index: number; batch: number }[]) =>
  Array.from(
    Map.groupBy(recipients, ({ batch }) => batch),
    ([batch, group]) => ({
      batch,
      state,
      among: group.map(({ index }) => index),
    }),
  )

function received(workspaceId: string, { id, messageId, reported, isReplay = false }: ArrivingEvent) {
  const { event, severity, reason, second } = reported
  const time = timestampFromDate(at(second))
  return {
    id: isReplay ? newId() : id,
    source: 'webhook-intake',
    workspaceId,
    time: at(second),
    correlationId: id,
    actorKind: 'provider' as const,
    actor: 'provider:mailprovider',
    authMethod: null,
    trace: {},
    data: create(ProviderEventReceivedSchema, {
      id,
      connectionId: newId(),
      event,
      messageId,
      occurredAt: time,
      receivedAt: time,
      ...(isReplay ? { replayedAt: timestampFromDate(at(second + 60)) } : {}),
      ...(severity === undefined ? {} : { severity }),
      ...(reason === undefined ? {} : { reason }),
    }),
  }
}
