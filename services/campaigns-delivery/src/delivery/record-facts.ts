import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { MessageSettledSchema } from '@lettergate/contracts/events/v1/events'
import { execute, rows, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { announcedFacts, factNames, learn, type FactName, type Facts } from '../domain/delivery/outcome.ts'
import { hasFact } from '../db/run-recipients.ts'
import { acceptProven, announceAccepted } from './settle.ts'

/** One thing said about one message. */
export interface Said {
  messageId: string
  fact: FactName
  at: Date
  /** our id of the provider event that said so; the empty string when we asked ourselves */
  providerEventId: string
}

type FactColumns = { [F in FactName as `${F}_at`]?: string | null }

/** A message of ours, as it was before, with what was known of the facts that are told now. */
export interface KnownMessage extends FactColumns {
  id: string
  run_id: string
  contact_id: string
  audience_id: string
  hand_off_id: string | null
  hand_off_state: string | null
  /** whether anything was known of it */
  is_known: boolean
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
  const told = factNames.filter((name) => said.some(({ fact }) => fact === name))
  const ids = [...new Set(said.map(({ messageId }) => messageId))].sort()
  const messages = await lockMessages(em, workspaceId, { ids, told })
  const facts = new Map<string, Facts>()
  const news = new Map<string, Said>()
  for (const item of said) {
    const message = messages.get(item.messageId)
    if (!message) continue
    const before = facts.get(item.messageId) ?? factsOf(message, told)
    const after = learn(before, item.fact, item.at)
    if (after === before) continue
    facts.set(item.messageId, after)
    const name = `${item.messageId} ${item.fact}`
    if (message[`${item.fact}_at`] == null && (news.get(name)?.at ?? item.at) >= item.at) news.set(name, item)
  }
  await writeFacts(em, workspaceId, { facts, told })
  await announceNews(em, messages, [...news.values()])
  await settleProven(
    em,
    workspaceId,
    Array.from(facts.keys(), (id) => messages.get(id)!),
  )
  return messages
}

interface Asked {
  ids: readonly string[]
  told: readonly FactName[]
}

const columnOf = (fact: FactName) => `${fact}_at` as const

async function lockMessages(em: Em, workspaceId: string, { ids, told }: Asked): Promise<Map<string, KnownMessage>> {
  const columns = sql.join(told.map((fact) => sql.ref(`r.${columnOf(fact)}`)))
  const found = await rows<KnownMessage>(
    em,
    sql`select r.id, r.run_id, r.contact_id, r.audience_id, r.hand_off_id, h.state as hand_off_state, ${hasFact} as is_known, ${columns}
          from run_recipients r left join hand_offs h on h.workspace_id = r.workspace_id and h.id = r.hand_off_id
         where r.workspace_id = ${workspaceId} and r.id = any(${[...ids]}::uuid[]) and r.state <> 'skipped' order by r.id for update of r`,
  )
  return new Map(found.map((message) => [message.id, message]))
}

const factsOf = (message: KnownMessage, told: readonly FactName[]): Facts => {
  const facts: Facts = {}
  for (const fact of told) {
    const at = message[columnOf(fact)]
    if (at != null) facts[fact] = new Date(at)
  }
  return facts
}

/** A message of which anything is known was handed over, also where we thought it had been put back. */
async function writeFacts(
  em: Em,
  workspaceId: string,
  { facts, told }: { facts: ReadonlyMap<string, Facts>; told: readonly FactName[] },
): Promise<void> {
  if (facts.size === 0) return
  const known = [...facts.values()]
  const names = sql.join(told.map((fact) => sql.ref(columnOf(fact))))
  const columns = sql.join(
    told.map((fact) => sql`${known.map((each) => each[fact]?.toISOString() ?? null)}::timestamptz[]`),
  )
  const assignments = sql.join(told.map((fact) => sql`${sql.ref(columnOf(fact))} = t.${sql.ref(columnOf(fact))}`))
  await execute(
    em,
    sql`update run_recipients r set ${assignments}, state = case when r.state = 'pending' and r.hand_off_id is not null then 'claimed' else r.state end
          from unnest(${[...facts.keys()]}::uuid[], ${columns}) as t (id, ${names})
         where r.workspace_id = ${workspaceId} and r.id = t.id`,
  )
}

async function announceNews(em: Em, messages: ReadonlyMap<string, KnownMessage>, news: readonly Said[]): Promise<void> {
  const told = news.filter(({ fact }) => announcedFacts.includes(fact))
  if (told.length === 0) return
  await publish(em, MessageSettledSchema, {
    messages: told.map(({ messageId, fact, at, providerEventId }) => {
      const { run_id, contact_id, audience_id } = messages.get(messageId)!
      return {
        messageId,
        runId: run_id,
        contactId: contact_id,
        audienceId: audience_id,
        fact,
        occurredAt: timestampFromDate(at),
        providerEventId,
      }
    }),
  })
}

/** A hand-off without an answer is settled by what the provider says of its messages. */
async function settleProven(em: Em, workspaceId: string, changed: readonly KnownMessage[]): Promise<void> {
  const unanswered = changed.filter(
    (message) => message.hand_off_state !== null && message.hand_off_state !== 'accepted',
  )
  const firsts = unanswered.filter((message) => !message.is_known)
  for (const [runId, people] of Map.groupBy(firsts, ({ run_id }) => run_id))
    await announceAccepted(em, runId, { people, at: new Date() })
  const handOffIds = [...new Set(unanswered.flatMap(({ hand_off_id }) => hand_off_id ?? []))].sort()
  if (handOffIds.length > 0) await acceptProven(em, workspaceId, handOffIds)
}
