import { expect } from '@jest/globals'
import type { Api } from '@lettergate/demo/api'
import { until } from '@lettergate/stage'
import { atConsole, workspace, type Query } from './erased-people.ts'
import { publishAutomation } from './publish-automation.ts'

interface Step {
  step_id: string
  node_key: string
  outcome?: string
  message_id?: string
}
interface Timeline {
  state: string
  provider_calls: number
  events: { event: string }[]
  steps: Step[]
}
/** A contact in a published automation. Waits and effects follow each other until `finish` is called. */
export interface RunningSequence {
  readonly email: string
  /** Waits until two more rounds have ended. The second one began after this call. */
  movesOn(): Promise<void>
  /** Lets the sequence end, and fails unless each step of the contact happened exactly once. Answers the number of emails. */
  finish(): Promise<number>
}

interface Callers {
  api: Api
  /** a person at the console */
  operator: Api
  query: Query
}

const waitSeconds = 2

/**
 * `welcome`, then rounds of a wait, a change of the score, a decision, and with `emailsEachRound` an email. Once the contact has the
 * tag `leaves`, the decision leads to `farewell` and the end.
 */
function definitionOf(slug: string, audienceId: string, email: object, emailsEachRound: boolean) {
  const edge = (from: string, to: string) => ({ from, to, branch: 'default' })
  return {
    trigger: { type: 'audience_subscribed', config: { audience_id: audienceId } },
    start_node: 'welcome',
    nodes: [
      { key: 'welcome', type: 'send_email', config: email },
      { key: 'wait', type: 'wait_duration', config: { seconds: waitSeconds } },
      { key: 'count', type: 'adjust_score', config: { amount: 1 } },
      { key: 'leaves', type: 'decision', config: {} },
      ...(emailsEachRound ? [{ key: 'lesson', type: 'send_email', config: email }] : []),
      { key: 'farewell', type: 'send_email', config: email },
      { key: 'mark', type: 'add_tag', config: { tag: `${slug}-done` } },
      { key: 'end', type: 'end', config: {} },
    ],
    edges: [
      edge('welcome', 'wait'),
      edge('wait', 'count'),
      edge('count', 'leaves'),
      { from: 'leaves', to: 'farewell', branch: 'leaves', condition: { tag: `${slug}-leaves`, operator: 'exists' } },
      edge('leaves', emailsEachRound ? 'lesson' : 'wait'),
      ...(emailsEachRound ? [edge('lesson', 'wait')] : []),
      edge('farewell', 'mark'),
      edge('mark', 'end'),
    ],
  }
}

/** Publishes a sequence, enrols a contact in it by a subscription, and returns when the contact has passed the first wait. */
export async function startSequence(
  callers: Callers,
  { slug, senderId, emailsEachRound = false }: { slug: string; senderId: string; emailsEachRound?: boolean },
): Promise<RunningSequence> {
  const { api, operator, query } = callers
  const address = `${slug}@example.org`
  for (const name of [`${slug}-leaves`, `${slug}-done`]) await operator.ok('POST', `${atConsole}/tags`, { name })
  const contentId = await contentOf(api, slug)
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: slug,
    slug,
    purpose: 'test',
  })
  const email = { content_version_id: contentId, sender_identity_id: senderId }
  const automationId = await publishAutomation(callers, slug, definitionOf(slug, audience.id, email, emailsEachRound))
  const { contact } = await api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
    email: address,
    source: 'test',
  })
  await api.ok('POST', `${workspace}/audiences/${audience.id}/subscribe`, {
    contact_id: contact.id,
    source: 'test',
    wording_version: '1',
  })

  const enrollments = async () =>
    (await api.ok<{ enrollments: { id: string }[] }>('GET', `${workspace}/automations/${automationId}/enrollments`))
      .enrollments
  const [{ id }] = (await until(
    async () => {
      const all = await enrollments()
      return all.length > 0 && all
    },
    { what: `the enrollment of ${address}` },
  )) as [{ id: string }]
  const timeline = async () =>
    (await api.ok<{ enrollment: Timeline }>('GET', `${workspace}/automation-enrollments/${id}`)).enrollment
  const rounds = async () => roundsOf((await timeline()).steps)
  const reach = (count: number) =>
    until(async () => (await rounds()) >= count, { what: `round ${count} of ${address}` })
  await reach(1)

  return {
    email: address,
    movesOn: async () => void (await reach((await rounds()) + 2)),
    async finish() {
      await operator.ok('POST', `${atConsole}/contacts/${contact.id}/tags`, { tag: `${slug}-leaves` })
      const ended = await until(
        async () => {
          const now = await timeline()
          return !['active', 'waiting'].includes(now.state) && now
        },
        { what: `the end of ${address}` },
      )
      const emails = expectEachStepOnce(ended, emailsEachRound)
      expect(await enrollments()).toHaveLength(1)
      const found = await query('select score from contacts.contacts where id = $1', [contact.id])
      expect(found.rows).toEqual([{ score: roundsOf(ended.steps) }])
      return emails
    },
  }
}

const roundsOf = (steps: readonly Step[]) =>
  steps.filter(({ node_key: key, outcome }) => key === 'count' && outcome !== undefined).length

/** The steps are in the order of the graph, none of them twice. Answers the number of emails. */
function expectEachStepOnce(
  { state, provider_calls: calls, events, steps }: Timeline,
  emailsEachRound: boolean,
): number {
  const rounds = roundsOf(steps)
  const round = [
    ['wait', 'waited'],
    ['count', 'applied'],
    ['leaves', 'decided'],
  ]
  const further = emailsEachRound ? [['lesson', 'accepted'], ...round] : round
  const emails = 2 + (emailsEachRound ? rounds - 1 : 0)
  expect(steps.map(({ node_key: key, outcome }) => [key, outcome])).toEqual([
    ['welcome', 'accepted'],
    ...round,
    ...Array.from({ length: rounds - 1 }, () => further).flat(),
    ['farewell', 'accepted'],
    ['mark', 'applied'],
    ['end', 'completed'],
  ])
  expect(new Set(steps.map(({ step_id: id }) => id)).size).toBe(steps.length)
  expect(new Set(steps.flatMap(({ message_id: id }) => id ?? [])).size).toBe(emails)
  expect(events.map(({ event }) => event)).toEqual(['enrolled', 'completed'])
  expect({ state, calls }).toEqual({ state: 'completed', calls: emails })
  return emails
}

async function contentOf(api: Api, slug: string): Promise<string> {
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: slug, slug },
  )
  const { content_version: content } = await api.ok<{ content_version: { id: string } }>(
    'POST',
    `${workspace}/email-templates/${template.id}/versions`,
    { subject: slug, html: '<p>News. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>' },
  )
  return content.id
}
