import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { MessageSettledSchema } from '@lettergate/contracts/events/v1/events'
import { execute, rows, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { announcedFacts, factNames, learn, type FactName, type Facts } from '../domain/delivery/outcome.ts'
import { acceptProven, announceAccepted } from './settle.ts'

/** One thing said about one message. */
export interface Said {
  messageId: string
  fact: FactName
  at: Date
  /** our id of the provider event that said so; the empty string when we asked ourselves */
  providerEventId: string
}

type FactColumns = { [F in FactName as `${F}_at`]: string | null }

/** A message of ours, as it was before. */
export interface KnownMessage extends FactColumns {
  id: string
  run_id: string
  contact_id: string
  audience_id: string
  hand_off_id: string | null
  hand_off_state: string | null
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
  const messages = await lockMessages(em, workspaceId, [...new Set(said.map(({ messageId }) => messageId))].sort())
  const facts = new Map<string, Facts>()
  const news = new Map<string, Said>()
  for (const item of said) {
    const message = messages.get(item.messageId)
    if (!message) continue
    const before = facts.get(item.messageId) ?? factsOf(message)
    const after = learn(before, item.fact, item.at)
    if (after === before) continue
    facts.set(item.messageId, after)
    const name = `${item.messageId} ${item.fact}`
    if (message[`${item.fact}_at`] === null && (news.get(name)?.at ?? item.at) >= item.at) news.set(name, item)
  }
  await writeFacts(em, workspaceId, facts)
  await announceNews(em, messages, [...news.values()])
  await settleProven(
    em,
    workspaceId,
    Array.from(facts.keys(), (id) => messages.get(id)!),
  )
  return messages
}

async function lockMessages(em: Em, workspaceId: string, ids: string[]): Promise<Map<string, KnownMessage>> {
  const columns = sql.join(factNames.map((fact) => sql.ref(`r.${fact}_at`)))
  const found = await rows<KnownMessage>(
    em,
    sql`select r.id, r.run_id, r.contact_id, r.audience_id, r.hand_off_id, h.state as hand_off_state, ${columns}
          from run_recipients r left join hand_offs h on h.workspace_id = r.workspace_id and h.id = r.hand_off_id
         where r.workspace_id = ${workspaceId} and r.id = any(${ids}::uuid[]) and r.state <> 'skipped' order by r.id for update of r`,
  )
  return new Map(found.map((message) => [message.id, message]))
}

const factsOf = (message: KnownMessage): Facts =>
  Object.fromEntries(
    factNames.flatMap((fact) => (message[`${fact}_at`] === null ? [] : [[fact, new Date(message[`${fact}_at`]!)]])),
  )

/** A message of which anything is known was handed over, also where we thought it had been put back. */
async function writeFacts(em: Em, workspaceId: string, facts: ReadonlyMap<string, Facts>): Promise<void> {
  if (facts.size === 0) return
  const known = [...facts.values()]
  const names = sql.join(factNames.map((fact) => sql.ref(`${fact}_at`)))
  const columns = sql.join(factNames.map((fact) => sql`${known.map((each) => each[fact] ?? null)}::timestamptz[]`))
  const assignments = sql.join(factNames.map((fact) => sql`${sql.ref(`${fact}_at`)} = t.${sql.ref(`${fact}_at`)}`))
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
  const firsts = unanswered.filter((message) => factNames.every((fact) => message[`${fact}_at`] === null))
  for (const [runId, members] of Map.groupBy(firsts, ({ run_id }) => run_id)) {
    await announceAccepted(
      em,
      runId,
      members.map(({ id }) => id),
      new Date(),
    )
  }
  const handOffIds = [...new Set(unanswered.flatMap(({ hand_off_id }) => hand_off_id ?? []))].sort()
  if (handOffIds.length > 0) await acceptProven(em, workspaceId, handOffIds)
}
