import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { MessageSettledSchema } from '@lettergate/contracts/events/v1/events'
import { arrayOf, prepared, rows, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { HandOffKind, HandOffState } from '../delivery/hand-off.entity.ts'
import { acceptProven, announceAccepted } from '../delivery/settle.ts'
import { lockMessages, waitForFacts, type MessageEnd } from '../messages/message-fact.entity.ts'
import { announcedFacts, addFact, testAnnouncedFacts, type FactName, type Facts } from '../messages/outcome.ts'
import { appendFacts } from './append-facts.ts'
import { tally } from './tally.ts'

/** A fact that an event or a lookup reported about a message. */
export interface ReportedFact {
  messageId: string
  fact: FactName
  at: Date
  /** our id of the provider event; empty when a lookup reported the fact */
  providerEventId: string
}

/** A message of this workspace that was or may have been handed over, with its earlier facts. */
export interface KnownMessage {
  id: string
  kind: HandOffKind
  /** id of the run or the test send */
  origin_id: string
  batch: number
  contact_id: string | null
  /** null for a test send */
  audience_id: string | null
  facts: Facts
}

/**
 * Stores the reported facts of many messages and publishes the new ones. Facts about unknown messages or messages of another
 * workspace are ignored. The first fact of a message can settle a hand-off without an answer. Returns the known messages.
 */
export async function recordFacts(
  em: Em,
  workspaceId: string,
  reported: readonly ReportedFact[],
): Promise<Map<string, KnownMessage>> {
  if (reported.length === 0) return new Map()
  const messages = await findMessages(em, workspaceId, [...new Set(reported.map(({ messageId }) => messageId))])
  if (messages.size === 0) return messages
  await readFacts(em, messages)
  const { newFacts, learned } = newFactsOf(reported, messages)
  if (newFacts.length === 0) return messages
  await appendFacts(
    em,
    workspaceId,
    newFacts.map(({ messageId, fact, at }) => ({ originId: messages.get(messageId)!.origin_id, messageId, fact, at })),
    tally(changesOfRuns(messages, learned)),
  )
  await announceNewFacts(em, messages, newFacts)
  const firsts = Array.from(learned.keys(), (id) => messages.get(id)!)
  await settleProven(
    em,
    workspaceId,
    firsts.filter(({ facts }) => isEmpty(facts)),
  )
  return messages
}

/** Finds the messages with these ids and locks their facts until the transaction ends. */
async function findMessages(em: Em, workspaceId: string, ids: readonly string[]): Promise<Map<string, KnownMessage>> {
  const found = await rows<Omit<KnownMessage, 'facts'>>(
    em,
    prepared(sql`with given as materialized (select ${arrayOf(ids)}::uuid[] as ids, ${workspaceId}::uuid as workspace_id),
        messages as materialized (
          select id, 'run' as kind, run_id as origin_id, batch, contact_id, audience_id from run_recipients
           where workspace_id = (select workspace_id from given) and id = any((select ids from given)::uuid[])
          union all
          select id, 'test_send', id, 0, contact_id, null from test_sends
           where workspace_id = (select workspace_id from given) and id = any((select ids from given)::uuid[])),
        locked as materialized (${lockMessages(sql`select id, origin_id from messages`)})
        select m.id, m.kind, m.origin_id, m.batch, m.contact_id, m.audience_id from messages m where (select count(*) from locked) >= 0`),
  )
  const messages = new Map<string, KnownMessage>()
  for (const message of found) messages.set(message.id, { ...message, facts: {} })
  return messages
}

/**
 * Reads the stored facts of each message. Messages that were skipped or failed are removed, because they were not handed
 * over.
 */
async function readFacts(em: Em, messages: Map<string, KnownMessage>): Promise<void> {
  const all = [...messages.values()]
  const origins = [...new Set(all.map(({ origin_id }) => origin_id))]
  const originAt = new Map(origins.map((id, index) => [id, index + 1]))
  const found = await rows<{ n: number; fact: FactName | MessageEnd; at_ms: number }>(
    em,
    prepared(sql`select t.n::integer as n, f.fact, f.at_ms
          from unnest(${arrayOf(all.map(({ origin_id }) => originAt.get(origin_id)!))}::integer[], ${arrayOf(all.map(({ id }) => id))}::uuid[]) with ordinality as t (origin, message_id, n)
         cross join lateral (
           select k.fact, extract(epoch from k.at)::float8 * 1000 as at_ms from message_facts k
            where k.origin_id = (${arrayOf(origins)}::uuid[])[t.origin] and k.message_id = t.message_id offset 0) f`),
  )
  for (const { n, fact, at_ms } of found) {
    const { id, facts } = all[n - 1]!
    if (fact === 'skipped' || fact === 'failed') messages.delete(id)
    else if (facts[fact] === undefined || at_ms < facts[fact].getTime()) facts[fact] = new Date(at_ms)
  }
}

/** Returns the facts that are new or earlier than the stored ones, each once, and all facts of the changed messages. */
function newFactsOf(reported: readonly ReportedFact[], messages: ReadonlyMap<string, KnownMessage>) {
  const learned = new Map<string, Facts>()
  const newFacts = new Map<string, ReportedFact>()
  for (const item of reported) {
    const message = messages.get(item.messageId)
    if (!message) continue
    const known = learned.get(item.messageId) ?? message.facts
    const now = addFact(known, item.fact, item.at)
    if (now === known) continue
    learned.set(item.messageId, now)
    newFacts.set(`${item.messageId} ${item.fact}`, item)
  }
  return { newFacts: [...newFacts.values()], learned }
}

const changesOfRuns = (messages: ReadonlyMap<string, KnownMessage>, learned: ReadonlyMap<string, Facts>) =>
  Array.from(learned).flatMap(([id, after]) => {
    const { kind, origin_id: runId, facts: before } = messages.get(id)!
    return kind === 'run' ? [{ runId, before, after }] : []
  })

const isEmpty = (facts: Facts) => Object.keys(facts).length === 0

/** Publishes the new facts. For test sends only bounces and complaints are published, so that these addresses are suppressed. */
async function announceNewFacts(
  em: Em,
  messages: ReadonlyMap<string, KnownMessage>,
  newFacts: readonly ReportedFact[],
): Promise<void> {
  const toAnnounce = newFacts.flatMap(({ messageId, fact, at, providerEventId }) => {
    const { kind, origin_id, contact_id, audience_id, facts } = messages.get(messageId)!
    const announced = kind === 'run' ? announcedFacts : testAnnouncedFacts
    if (contact_id === null || facts[fact] !== undefined || !announced.includes(fact)) return []
    const message = { messageId, contactId: contact_id, fact, occurredAt: timestampFromDate(at), providerEventId }
    return [{ ...message, ...(kind === 'run' ? { runId: origin_id, audienceId: audience_id! } : {}) }]
  })
  if (toAnnounce.length > 0) await publish(em, MessageSettledSchema, { messages: toAnnounce })
}

/** Settles hand-offs without an answer by the first facts of their messages. */
async function settleProven(em: Em, workspaceId: string, firsts: readonly KnownMessage[]): Promise<void> {
  if (firsts.length === 0) return
  const unanswered = await rows<{ id: string; state: HandOffState; message_id: string }>(
    em,
    prepared(sql`select h.id, h.state, t.message_id
          from unnest(${arrayOf(firsts.map(({ origin_id }) => origin_id))}::uuid[], ${arrayOf(firsts.map(({ batch }) => batch))}::integer[], ${arrayOf(firsts.map(({ id }) => id))}::uuid[]) as t (origin_id, batch, message_id)
          join hand_offs h on h.workspace_id = ${workspaceId} and h.origin_id = t.origin_id and h.batch = t.batch and h.state <> 'accepted' and t.message_id = any(h.message_ids)`),
  )
  if (unanswered.length === 0) return
  const proven = new Set(unanswered.map(({ message_id }) => message_id))
  const recipients = firsts.flatMap(({ id, origin_id: runId, contact_id: contactId, audience_id: audienceId }) =>
    proven.has(id) && contactId !== null && audienceId !== null
      ? [{ runId, messageId: id, contactId, audienceId }]
      : [],
  )
  // This service does not know whether the audience has a minimum interval; contacts-consent checks it.
  for (const [runId, group] of Map.groupBy(recipients, (recipient) => recipient.runId))
    await announceAccepted(em, runId, { at: new Date(), recipients: group })
  const open = unanswered.filter(({ state }) => state === 'claimed' || state === 'unknown').map(({ id }) => id)
  if (open.length === 0) return
  await waitForFacts(em, 'settle', open)
  await acceptProven(em, workspaceId, [...new Set(open)].sort())
}
