import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { MessageSettledSchema } from '@lettergate/contracts/events/v1/events'
import { execute, rows, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { HandOffKind, HandOffState } from '../db/hand-offs.ts'
import { lockOrigins } from '../db/message-facts.ts'
import { announcedFacts, learn, testAnnouncedFacts, type FactName, type Facts } from '../domain/delivery/outcome.ts'
import { acceptProven, announceAccepted } from './settle.ts'

/** One thing said about one message. */
export interface Said {
  messageId: string
  fact: FactName
  at: Date
  /** our id of the provider event that said so; the empty string when we asked ourselves */
  providerEventId: string
}

/** A message of ours that was or may have been handed over, with what was known of it before. */
export interface KnownMessage {
  id: string
  kind: HandOffKind
  /** the run or the test send */
  origin_id: string
  batch: number
  contact_id: string | null
  /** null for a test */
  audience_id: string | null
  facts: Facts
}

/**
 * Adds what was said to what is known, for many messages in one go, and announces what is new. What is said about unknown
 * messages, or those of another workspace, changes nothing. An early fact settles a hand-off whose answer nobody has.
 * Answers the messages that are ours.
 */
export async function recordFacts(
  em: Em,
  workspaceId: string,
  said: readonly Said[],
): Promise<Map<string, KnownMessage>> {
  if (said.length === 0) return new Map()
  const messages = await findMessages(em, workspaceId, [...new Set(said.map(({ messageId }) => messageId))])
  await lockOrigins(em, [...new Set(Array.from(messages.values(), ({ origin_id }) => origin_id))])
  await readFacts(em, messages)
  const news = newsOf(said, messages)
  await append(em, workspaceId, news, messages)
  await announceNews(em, messages, news)
  const firsts = new Set(news.map(({ messageId }) => messageId))
  await settleProven(
    em,
    workspaceId,
    Array.from(firsts, (id) => messages.get(id)!).filter(({ facts }) => Object.keys(facts).length === 0),
  )
  return messages
}

/** Whoever was skipped or has failed was not handed over, whatever is said. */
async function findMessages(em: Em, workspaceId: string, ids: readonly string[]): Promise<Map<string, KnownMessage>> {
  const found = await rows<Omit<KnownMessage, 'facts'>>(
    em,
    sql`with messages as (
          select id, 'run' as kind, run_id as origin_id, batch, contact_id, audience_id from run_recipients where workspace_id = ${workspaceId} and id = any(${[...ids]}::uuid[])
          union all
          select id, 'test_send', id, 0, contact_id, null from test_sends where workspace_id = ${workspaceId} and id = any(${[...ids]}::uuid[]))
        select * from messages m
         where not exists (select from message_facts f where f.origin_id = m.origin_id and f.message_id = m.id and f.fact in ('skipped', 'failed'))`,
  )
  return new Map(found.map((message) => [message.id, { ...message, facts: {} }]))
}

async function readFacts(em: Em, messages: ReadonlyMap<string, KnownMessage>): Promise<void> {
  const all = [...messages.values()]
  const found = await rows<{ message_id: string; fact: FactName; at: string }>(
    em,
    sql`select t.message_id, f.fact, f.at
          from unnest(${all.map(({ origin_id }) => origin_id)}::uuid[], ${all.map(({ id }) => id)}::uuid[]) as t (origin_id, message_id)
         cross join lateral (
           select k.fact, min(k.at) as at from message_facts k where k.origin_id = t.origin_id and k.message_id = t.message_id group by k.fact offset 0) f`,
  )
  for (const { message_id, fact, at } of found) messages.get(message_id)!.facts[fact] = new Date(at)
}

/** What was not known: a fact that is new, or happened earlier than was known; each once, at its earliest. */
function newsOf(said: readonly Said[], messages: ReadonlyMap<string, KnownMessage>): Said[] {
  const news = new Map<string, Said>()
  for (const item of said) {
    const message = messages.get(item.messageId)
    if (!message || learn(message.facts, item.fact, item.at) === message.facts) continue
    const name = `${item.messageId} ${item.fact}`
    const other = news.get(name)
    if (other === undefined || item.at < other.at) news.set(name, item)
  }
  return [...news.values()]
}

async function append(
  em: Em,
  workspaceId: string,
  news: readonly Said[],
  messages: ReadonlyMap<string, KnownMessage>,
): Promise<void> {
  if (news.length === 0) return
  await execute(
    em,
    sql`insert into message_facts (workspace_id, origin_id, message_id, fact, at)
        select ${workspaceId}::uuid, t.* from unnest(${news.map(({ messageId }) => messages.get(messageId)!.origin_id)}::uuid[], ${news.map(({ messageId }) => messageId)}::uuid[],
          ${news.map(({ fact }) => fact)}::text[], ${news.map(({ at }) => at)}::timestamptz[]) as t`,
  )
}

/** A test belongs to no audience; but an address that bounces, or a person who complains, is not mailed again. */
async function announceNews(em: Em, messages: ReadonlyMap<string, KnownMessage>, news: readonly Said[]): Promise<void> {
  const told = news.flatMap(({ messageId, fact, at, providerEventId }) => {
    const { kind, origin_id, contact_id, audience_id, facts } = messages.get(messageId)!
    const announced = kind === 'run' ? announcedFacts : testAnnouncedFacts
    if (contact_id === null || facts[fact] !== undefined || !announced.includes(fact)) return []
    const message = { messageId, contactId: contact_id, fact, occurredAt: timestampFromDate(at), providerEventId }
    return [{ ...message, ...(kind === 'run' ? { runId: origin_id, audienceId: audience_id! } : {}) }]
  })
  if (told.length > 0) await publish(em, MessageSettledSchema, { messages: told })
}

/** A hand-off without an answer is settled by what the provider says of its messages, of which nothing was known before. */
async function settleProven(em: Em, workspaceId: string, firsts: readonly KnownMessage[]): Promise<void> {
  if (firsts.length === 0) return
  const unanswered = await rows<{ id: string; state: HandOffState; message_id: string }>(
    em,
    sql`select h.id, h.state, t.message_id
          from unnest(${firsts.map(({ origin_id }) => origin_id)}::uuid[], ${firsts.map(({ batch }) => batch)}::integer[], ${firsts.map(({ id }) => id)}::uuid[]) as t (origin_id, batch, message_id)
          join hand_offs h on h.workspace_id = ${workspaceId} and h.origin_id = t.origin_id and h.batch = t.batch and h.state <> 'accepted' and t.message_id = any(h.message_ids)`,
  )
  if (unanswered.length === 0) return
  const proven = new Set(unanswered.map(({ message_id }) => message_id))
  const people = firsts.flatMap(({ id, origin_id: runId, contact_id: contactId, audience_id: audienceId }) =>
    proven.has(id) && contactId !== null && audienceId !== null
      ? [{ runId, messageId: id, contactId, audienceId }]
      : [],
  )
  // Whether the audience has a minimum interval is not known here: contacts-consent looks.
  for (const [runId, group] of Map.groupBy(people, (person) => person.runId))
    await announceAccepted(em, runId, { at: new Date(), people: group })
  const open = unanswered.filter(({ state }) => state === 'claimed' || state === 'unknown').map(({ id }) => id)
  if (open.length > 0) await acceptProven(em, workspaceId, [...new Set(open)].sort())
}
