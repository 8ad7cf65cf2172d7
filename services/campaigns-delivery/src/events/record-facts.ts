// Over 300 lines because it has all statements of the transaction that stores facts.
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { MessageSettledSchema } from '@lettergate/contracts/events/v1/events'
import { arrayOf, column, columns, prepared, sql, statement, uuidsOf, type Em, type RowOf } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { HandOff } from '../delivery/hand-off.entity.ts'
import { acceptProven, announceAccepted, originOf } from '../delivery/settle.ts'
import { lockMessages, MessageFact, waitForFacts } from '../messages/message-fact.entity.ts'
import { announcedFacts, addFact, testAnnouncedFacts, type FactName, type Facts } from '../messages/outcome.ts'
import { owePersonEvents, type PersonEvent, type PersonEventType } from '../person-events/owe-person-events.ts'
import { RunRecipient } from '../runs/run-recipient.entity.ts'
import { appendFacts } from './append-facts.ts'
import { contactsOf } from './contacts-of-messages.ts'
import { tallyEmails } from './tally-emails.ts'
import { tally, type FactChange } from './tally.ts'

/** A fact that an event or a lookup reported about a message. */
export interface ReportedFact {
  messageId: string
  fact: FactName
  at: Date
  /** our id of the provider event; empty when a lookup reported the fact */
  providerEventId: string
  /** the same for an event and its replays; null when a lookup reported the fact */
  eventId: string | null
}

const groupColumns = { ...columns(HandOff, 'kind', 'origin_id'), ...columns(RunRecipient, 'batch'), ids: column.text() }
const lockKnown = statement('lock-messages', groupColumns)

/** A message of this workspace, with its earlier facts. */
export interface KnownMessage extends Omit<RowOf<typeof groupColumns>, 'ids'> {
  id: string
  facts: Facts
  /** was skipped or failed before: the hand-off that a fact proves was lost, as after a restore, or put back */
  isEnded: boolean
}

/** What the reported facts are about, and which of them are new. */
export interface RecordedFacts<F extends ReportedFact> {
  messages: ReadonlyMap<string, KnownMessage>
  /** now stored; the id of their event is stored with them */
  appended: readonly F[]
  /** of known messages, not stored, because the message has the fact already; their events are not those of stored facts */
  repeated: readonly F[]
}

/**
 * Stores the reported facts of many messages and publishes the new ones. Facts about unknown messages or messages of another
 * workspace are ignored, and so are events whose fact is stored. The first fact of a message can settle a hand-off without
 * an answer.
 */
export async function recordFacts<F extends ReportedFact>(
  em: Em,
  workspaceId: string,
  reported: readonly F[],
): Promise<RecordedFacts<F>> {
  const messages = await findMessages(em, workspaceId, [...new Set(reported.map(({ messageId }) => messageId))])
  const handled = await readFacts(
    em,
    messages,
    reported.flatMap(({ eventId }) => eventId ?? []),
  )
  const { appended, repeated, learned } = sortFacts(reported, { messages, handled })
  if (appended.length === 0) return { messages, appended, repeated }
  await appendFacts(
    em,
    workspaceId,
    appended.map(({ messageId, fact, at, eventId }) => {
      const { origin_id: originId } = messages.get(messageId)!
      return { originId, messageId, fact, at, eventId }
    }),
    tally(changesOfRuns(messages, learned)),
  )
  await tallyEmails(em, workspaceId, { messages, learned })
  await announceNewFacts(em, workspaceId, messages, appended)
  const firsts = Array.from(learned.keys(), (id) => messages.get(id)!).filter(({ facts }) => isEmpty(facts))
  await settleProven(em, workspaceId, firsts)
  return { messages, appended, repeated }
}

/**
 * Finds the messages with these ids and locks their facts until the transaction ends. The answer has one row for each batch,
 * with the ids as one text, because a row for each message takes longer to read. Most messages are those of runs, so the others
 * are searched only by the ids that no run has.
 */
async function findMessages(em: Em, workspaceId: string, ids: readonly string[]): Promise<Map<string, KnownMessage>> {
  if (ids.length === 0) return new Map()
  const found = await lockKnown.rows(
    em,
    prepared(sql`with given as materialized (select ${uuidsOf(ids)}::uuid[] as ids, ${workspaceId}::uuid as workspace_id),
        of_runs as materialized (
          select id, 'run' as kind, run_id as origin_id, batch from run_recipients
           where workspace_id = (select workspace_id from given) and id = any((select ids from given)::uuid[])),
        others as materialized (
          select array(select id from unnest((select ids from given)) as g (id) except select id from of_runs) as ids),
        messages as materialized (
          select * from of_runs
          union all
          select id, 'test_send', id, 0 from test_sends
           where workspace_id = (select workspace_id from given) and id = any((select ids from others)::uuid[])
          union all
          select id, 'automation', automation_id, batch from automation_emails
           where workspace_id = (select workspace_id from given) and id = any((select ids from others)::uuid[])
          union all
          select id, 'confirmation', id, 0 from confirmation_emails
           where workspace_id = (select workspace_id from given) and id = any((select ids from others)::uuid[])),
        locked as materialized (${lockMessages(sql`select id, origin_id from messages`)})
        select m.kind, m.origin_id, m.batch, string_agg(m.id::text, ',') as ids from messages m where (select count(*) from locked) >= 0 group by 1, 2, 3`),
  )
  const messages = new Map<string, KnownMessage>()
  for (const { kind, origin_id, batch, ids: ofBatch } of found)
    for (const id of ofBatch.split(',')) messages.set(id, { id, kind, origin_id, batch, facts: {}, isEnded: false })
  return messages
}

const selectFacts = statement('select-message-facts', {
  ...columns(MessageFact, 'fact'),
  places: column.text(),
  times: column.text(),
  handled: column.text(),
})

/**
 * Reads the stored facts of each message, and returns which of these events reported one. The answer has one row for each fact:
 * the places of its messages, its times and the events, as texts.
 */
async function readFacts(
  em: Em,
  messages: Map<string, KnownMessage>,
  eventIds: readonly string[],
): Promise<Set<string>> {
  const handled = new Set<string>()
  if (messages.size === 0) return handled
  const all = [...messages.values()]
  const origins = [...new Set(all.map(({ origin_id }) => origin_id))]
  const originAt = new Map(origins.map((id, index) => [id, index + 1]))
  const found = await selectFacts.rows(
    em,
    prepared(sql`with given as materialized (select id from unnest(${uuidsOf(eventIds)}::uuid[]) as e (id))
        select f.fact, string_agg(t.n::text, ',') as places, string_agg(f.at_ms::text, ',') as times, coalesce(string_agg(given.id::text, ','), '') as handled
          from unnest(${arrayOf(all.map(({ origin_id }) => originAt.get(origin_id)!))}::integer[], ${uuidsOf(all.map(({ id }) => id))}::uuid[]) with ordinality as t (origin, message_id, n)
         cross join lateral (
           select k.fact, date_part('epoch', k.at) * 1000 as at_ms, k.event_id from message_facts k
            where k.origin_id = (${uuidsOf(origins)}::uuid[])[t.origin] and k.message_id = t.message_id offset 0) f
          left join given on given.id = f.event_id
         group by f.fact`),
  )
  for (const { fact, places, times, handled: ids } of found) {
    if (ids !== '') for (const id of ids.split(',')) handled.add(id)
    const at = times.split(',')
    places.split(',').forEach((place, index) => {
      const message = all[Number(place) - 1]!
      const { facts } = message
      const atMs = Math.round(Number(at[index]))
      if (fact === 'skipped' || fact === 'failed') message.isEnded = true
      else if (facts[fact] === undefined || atMs < facts[fact].getTime()) facts[fact] = new Date(atMs)
    })
  }
  return handled
}

/**
 * Sorts the reported facts of known messages: those that are new or earlier than the stored ones, each once, and the others.
 * Facts of events that were handled are in neither. Also returns all facts of the changed messages.
 */
function sortFacts<F extends ReportedFact>(
  reported: readonly F[],
  { messages, handled }: { messages: ReadonlyMap<string, KnownMessage>; handled: ReadonlySet<string> },
) {
  const learned = new Map<string, Facts>()
  const newFacts = new Map<string, Partial<Record<FactName, F>>>()
  const repeated: F[] = []
  for (const item of reported) {
    const { messageId, fact, at, eventId } = item
    const message = messages.get(messageId)
    if (!message || (eventId !== null && handled.has(eventId))) continue
    const known = learned.get(messageId) ?? message.facts
    const now = addFact(known, fact, at)
    if (now === known) {
      repeated.push(item)
      continue
    }
    learned.set(messageId, now)
    const ofMessage = newFacts.get(messageId)
    const later = ofMessage?.[fact]
    if (later) repeated.push(later)
    if (ofMessage) ofMessage[fact] = item
    else newFacts.set(messageId, { [fact]: item } as Partial<Record<FactName, F>>)
  }
  return { appended: Array.from(newFacts.values(), (ofMessage) => Object.values(ofMessage)).flat(), repeated, learned }
}

function changesOfRuns(messages: ReadonlyMap<string, KnownMessage>, learned: ReadonlyMap<string, Facts>): FactChange[] {
  const changes: FactChange[] = []
  for (const [id, after] of learned) {
    const { kind, origin_id: runId, facts: before } = messages.get(id)!
    if (kind === 'run') changes.push({ runId, before, after })
  }
  return changes
}

const isEmpty = (facts: Facts) => Object.keys(facts).length === 0

/** Publishes the new facts that other services need. */
async function announceNewFacts(
  em: Em,
  workspaceId: string,
  messages: ReadonlyMap<string, KnownMessage>,
  newFacts: readonly ReportedFact[],
): Promise<void> {
  const needed = newFacts.filter(({ messageId, fact }) => {
    const { kind, facts } = messages.get(messageId)!
    return facts[fact] === undefined && (kind === 'test_send' ? testAnnouncedFacts : announcedFacts).includes(fact)
  })
  if (needed.length === 0) return
  const contacts = await contactsOf(
    em,
    workspaceId,
    needed.map(({ messageId }) => messageId),
  )
  const toAnnounce = needed.flatMap(({ messageId, fact, at, providerEventId }) => {
    const { kind, origin_id } = messages.get(messageId)!
    const { contact_id, audience_id } = contacts.get(messageId)!
    if (contact_id === null) return []
    const message = { messageId, contactId: contact_id, fact, occurredAt: timestampFromDate(at), providerEventId }
    if (kind === 'test_send' || audience_id === null) return [message]
    return [{ ...message, ...originOf(kind, origin_id), audienceId: audience_id }]
  })
  if (toAnnounce.length === 0) return
  await publish(em, MessageSettledSchema, { messages: toAnnounce })
  await owePersonEvents(em, workspaceId, needed.flatMap(personEventOf(messages, contacts)))
}

const personEvents: Partial<Record<FactName, PersonEventType>> = {
  hard_bounced: 'person.bounced',
  complained: 'person.complained',
}

/** What the campaign webhook is owed about the recipient of a message, which is not that of a test. */
const personEventOf =
  (messages: ReadonlyMap<string, KnownMessage>, contacts: Awaited<ReturnType<typeof contactsOf>>) =>
  ({ messageId, fact, at }: ReportedFact): PersonEvent[] => {
    const { kind, origin_id: originId } = messages.get(messageId)!
    const { contact_id, audience_id } = contacts.get(messageId)!
    const type = personEvents[fact]
    if (type === undefined || contact_id === null || kind === 'test_send') return []
    const { runId: campaign_run_id = null, automationId: automation_id = null } = originOf(kind, originId)
    return [{ type, at, data: { contact_id, audience_id, message_id: messageId, campaign_run_id, automation_id } }]
  }

const selectUnanswered = statement('select-unanswered-hand-offs', {
  ...columns(HandOff, 'id', 'state', 'claimed_at'),
  message_id: column.uuid(),
})

/**
 * Settles hand-offs without an answer by the first facts of their messages. These messages count for the minimum interval from
 * their last hand-off, not from the event, which can be days later. Counts the messages of runs that are in no hand-off, for
 * example after a restore from a backup: they are in open batches, or were skipped or failed. `appendFacts` has written the
 * tallies of these runs in this transaction.
 */
async function settleProven(em: Em, workspaceId: string, firsts: readonly KnownMessage[]): Promise<void> {
  if (firsts.length === 0) return
  const origins = [...new Set(firsts.map(({ origin_id }) => origin_id))]
  const originAt = new Map(origins.map((id, index) => [id, index + 1]))
  const unanswered = await selectUnanswered.rows(
    em,
    prepared(sql`with given as materialized (select ${uuidsOf(origins)}::uuid[] as origins),
        t as materialized (
          select (select origins from given)[o.origin] as origin_id, o.batch, o.message_id, o.is_ended = 1 as is_ended
            from unnest(${arrayOf(firsts.map(({ origin_id }) => originAt.get(origin_id)!))}::integer[], ${arrayOf(firsts.map(({ batch }) => batch))}::integer[], ${uuidsOf(firsts.map(({ id }) => id))}::uuid[],
                        ${arrayOf(firsts.map(({ isEnded }) => (isEnded ? 1 : 0)))}::integer[]) as o (origin, batch, message_id, is_ended)),
        unsure as (
          select t.origin_id, t.batch, t.message_id from t
            join delivery_batches b on b.run_id = t.origin_id and b.batch = t.batch and b.done_at is null
           where exists (select from delivery_batches o where o.run_id = any((select origins from given)::uuid[]) and o.done_at is null)
             and not t.is_ended
          union all
          select origin_id, batch, message_id from t where is_ended),
        counted as (
          update run_tallies known set without_hand_off = known.without_hand_off + lost.messages
            from (select t.origin_id, count(*) as messages from unsure t
                   where not exists (select from hand_offs h where h.workspace_id = ${workspaceId} and h.origin_id = t.origin_id and h.batch = t.batch and t.message_id = any(h.message_ids))
                   group by t.origin_id) as lost
           where known.workspace_id = ${workspaceId} and known.run_id = lost.origin_id and known.slot = pg_backend_pid() % 16)
        select h.id, h.state, h.claimed_at, t.message_id from t
          join hand_offs h on h.workspace_id = ${workspaceId} and h.origin_id = t.origin_id and h.batch = t.batch and h.state <> 'accepted' and t.message_id = any(h.message_ids)
         where not exists (select from hand_offs a where a.workspace_id = ${workspaceId} and a.origin_id = t.origin_id and a.batch = t.batch and a.state = 'accepted' and t.message_id = any(a.message_ids))
         order by h.claimed_at`),
  )
  if (unanswered.length === 0) return
  const claimedAt = new Map(unanswered.map(({ message_id, claimed_at }) => [message_id, claimed_at]))
  const contacts = await contactsOf(em, workspaceId, [...claimedAt.keys()])
  const recipients = firsts.flatMap(({ id, kind, origin_id: originId }) => {
    const { contact_id: contactId, audience_id: audienceId } = contacts.get(id) ?? {}
    const at = claimedAt.get(id)
    // A confirmation email counts for no minimum interval.
    if (kind === 'confirmation') return []
    return contactId && audienceId && at ? [{ kind, originId, messageId: id, contactId, audienceId, at }] : []
  })
  // This service does not know whether the audience has a minimum interval; contacts-consent checks it.
  for (const group of Map.groupBy(recipients, ({ originId, at }) => `${originId} ${at}`).values()) {
    const [{ kind, originId, at }] = group as [(typeof recipients)[number]]
    await announceAccepted(em, { kind, originId }, { at: new Date(at), recipients: group })
  }
  const open = unanswered.filter(({ state }) => state === 'claimed' || state === 'unknown').map(({ id }) => id)
  if (open.length === 0) return
  await waitForFacts(em, 'settle', open)
  await acceptProven(em, workspaceId, [...new Set(open)].sort())
}
