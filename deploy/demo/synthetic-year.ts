import { inboxOf } from './inbox.ts'
import { messageCalls } from './message-calls.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

const startsAt = '2027-01-01T09:00:00.000Z'
const months = 12
const monthSeconds = 30 * 86_400

interface Step {
  step_id: string
  node_key: string
  outcome: string
  finished_at: string
}
interface Enrollment {
  id: string
  state: string
  completed_at: string
  events: object[]
  steps: Step[]
}

/** An email each month for a year, counted by the score of the contact. */
const definitionOf = (contentId: string, senderId: string) => {
  const edge = (from: string, to: string) => ({ from, to, branch: 'default' })
  return {
    trigger: { type: 'manual', config: {} },
    start_node: 'email',
    nodes: [
      { key: 'email', type: 'send_email', config: { content_version_id: contentId, sender_identity_id: senderId } },
      { key: 'month', type: 'wait_duration', config: { seconds: monthSeconds } },
      { key: 'count', type: 'adjust_score', config: { amount: 1 } },
      { key: 'is-year', type: 'decision', config: {} },
      { key: 'end', type: 'end', config: {} },
    ],
    edges: [
      edge('email', 'month'),
      edge('month', 'count'),
      edge('count', 'is-year'),
      {
        from: 'is-year',
        to: 'email',
        branch: 'not yet',
        condition: { score: true, operator: 'less_than', value: months },
      },
      edge('is-year', 'end'),
    ],
  }
}

export interface SyntheticYear {
  /** the address of the synthetic contact */
  email: string
  /** Runs the year once more, at once. */
  run: () => Promise<Enrollment>
}

/** A draft with an email each month, and a synthetic contact in the archived workspace, whose year can be run. */
export async function prepareYear(scene: Scene): Promise<SyntheticYear> {
  const { api, browser, round } = scene
  const workspace = scene.workspace.replace(/newsletter$/, 'synthetic-lab')
  const atConsole = scene.atConsole.replace(/newsletter$/, 'synthetic-lab')
  const rehearsal = `year-${round}`
  const email = `year.${round}@rehearsal.invalid`
  const { contact } = await api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
    email,
    source: 'demo',
    source_metadata: { synthetic_context_id: rehearsal },
  })
  const { automation } = await api.ok<{ automation: { id: string; selected_version: { id: string } } }>(
    'POST',
    `${workspace}/automations`,
    {
      name: `Year ${round}`,
      slug: `year-${round}`,
      definition: definitionOf(await contentOf(scene, workspace), await senderOf(scene, workspace, atConsole)),
    },
  )
  return {
    email,
    async run() {
      const { enrollment } = await browser.ok<{ enrollment: Enrollment }>(
        'POST',
        `${atConsole}/automations/${automation.id}/versions/${automation.selected_version.id}/synthetic-runs`,
        { contact_id: contact.id, synthetic_context_id: rehearsal, starts_at: startsAt },
        { 'idempotency-key': crypto.randomUUID() },
      )
      return enrollment
    },
  }
}

/** What happened in a run of a year, without its id. */
export const timelineOf = ({ events, steps }: Enrollment) => JSON.stringify({ events, steps })

/** Steps of a year: an email, a wait, a score and a decision each month, and the end. */
export const yearSteps = 4 * months + 1

/**
 * Runs a year of a sequence twice with a virtual clock, for a synthetic contact of an archived workspace. Both runs must have the same
 * timeline, and no email may be sent.
 */
export async function syntheticYear(scene: Scene): Promise<ReportRow[]> {
  const { stack, print } = scene
  const { email, run } = await prepareYear(scene)
  const callsBefore = await messageCalls(stack)
  const began = performance.now()
  const first = await run()
  const tookMs = Math.round(performance.now() - began)
  const second = await run()
  const calls = (await messageCalls(stack)) - callsBefore

  print(`a draft with an email each month; a contact at ${email}, in the archived workspace synthetic-lab`)
  print(`its year, run at once in ${tookMs} ms, before anybody publishes the draft:`)
  for (const step of [...first.steps.slice(0, 5), ...first.steps.slice(-2)])
    print(`  ${step.finished_at.slice(0, 16).replace('T', ' ')}  ${step.node_key.padEnd(8)} ${step.outcome}`)
  return [
    { name: 'state', actual: first.state, expected: 'completed' },
    { name: 'steps', actual: first.steps.length, expected: yearSteps },
    {
      name: 'simulated emails',
      actual: first.steps.filter(({ node_key: key, outcome }) => key === 'email' && outcome === 'simulated').length,
      expected: months,
    },
    {
      name: 'days from the first step to the last one',
      actual: (Date.parse(first.completed_at) - Date.parse(startsAt)) / 86_400_000,
      expected: 30 * months,
    },
    { name: 'the second run has the same timeline', actual: timelineOf(second) === timelineOf(first), expected: true },
    { name: 'messages handed to the provider, by its counter', actual: calls, expected: 0 },
    { name: 'messages to the synthetic contact', actual: (await inboxOf(stack, email)).length, expected: 0 },
  ]
}

async function contentOf({ api, round }: Scene, workspace: string): Promise<string> {
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    {
      name: `Monthly ${round}`,
      slug: `monthly-${round}`,
    },
  )
  const { content_version: content } = await api.ok<{ content_version: { id: string } }>(
    'POST',
    `${workspace}/email-templates/${template.id}/versions`,
    { subject: 'This month', html: '<p>News. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>' },
  )
  return content.id
}

/** A sender that stays disabled. It is created in the first round of the demo. */
async function senderOf({ api, browser }: Scene, workspace: string, atConsole: string): Promise<string> {
  const { sender_identities: known } = await browser.ok<{ sender_identities: { id: string }[] }>(
    'GET',
    `${atConsole}/sender-identities`,
  )
  if (known[0]) return known[0].id
  await api.ok('POST', `${workspace}/provider-connections`, {
    name: 'Local mail provider',
    credential_env_key: 'MAILPROVIDER_API_KEY',
    webhook_signing_env_key: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY',
    region: 'us',
  })
  const { sending_domain: domain } = await api.ok<{ sending_domain: { id: string } }>(
    'POST',
    `${workspace}/sending-domains`,
    { domain_name: 'mail.acme.test' },
  )
  const { sender_identity: sender } = await api.ok<{ sender_identity: { id: string } }>(
    'POST',
    `${workspace}/sender-identities`,
    {
      sending_domain_id: domain.id,
      display_name: 'Acme Lab',
      from_address: 'lab@mail.acme.test',
      reply_to: 'lab@mail.acme.test',
    },
  )
  return sender.id
}
