import { randomUUID } from 'node:crypto'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { insertDeadLetter } from '@lettergate/campaigns-delivery/test/insert-dead-letter'
import { insertHandOff } from '@lettergate/campaigns-delivery/test/message-rows'
import { newsletter } from '@lettergate/demo/newsletter'
import { prepareSending } from '@lettergate/demo/prepare-sending'
import type { Api } from '@lettergate/demo/api'
import { until } from '@lettergate/stage'
import type { Constellation } from '@lettergate/e2e/constellation'

export const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
export const atConsole = '/console/api/organizations/acme/workspaces/newsletter'

/** The settings that the pages of sending need. */
export const openSettings = {
  ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
  TEST_SENDS_ENABLED: 'true',
  AUTOMATION_ENABLED: 'true',
  SYNTHETIC_REHEARSALS_ENABLED: 'true',
  TEST_RECIPIENT_ALLOWLIST: '@people.example.com',
}

const people = [
  ['ada', 'Ada', 'Lovelace', ['vip', 'london']],
  ['grace', 'Grace', 'Hopper', ['vip']],
  ['alan', 'Alan', 'Turing', ['london']],
  ['edsger+hardbounce', 'Edsger', 'Dijkstra', []],
  ['barbara+complain', 'Barbara', 'Liskov', ['vip']],
  ['donald', 'Donald', 'Knuth', []],
  ['margaret', 'Margaret', 'Hamilton', ['london']],
  ['tony', 'Tony', 'Hoare', []],
] as const

/** Ids of what a story in the browser needs. */
export interface ConsoleWorld {
  owner: Api
  audienceId: string
  otherAudienceId: string
  /** by the first name */
  contacts: Record<string, string>
  templateId: string
  contentId: string
}

/** Two audiences, eight people, two of them not to be mailed, two tags, and a template. */
export async function openWorld(services: Constellation): Promise<ConsoleWorld> {
  const owner = services.as('owner')
  const create = <T>(path: string, body: unknown) => owner.ok<T>('POST', `${workspace}${path}`, body)
  const audience = async (name: string, slug: string, minimum_interval_seconds: number) => {
    const body = { name, slug, purpose: `${name} for readers`, minimum_interval_seconds }
    return (await create<{ audience: { id: string } }>('/audiences', body)).audience.id
  }
  const audienceId = await audience('Weekly news', 'weekly-news', 0)
  const otherAudienceId = await audience('Product news', 'product-news', 3_600)
  const contacts: Record<string, string> = {}
  for (const [local, first_name, last_name, tags] of people) {
    const { contact } = await create<{ contact: { id: string } }>('/contacts/upsert', {
      email: `${local}@people.example.com`,
      first_name,
      last_name,
      tags,
      source: 'form',
    })
    contacts[first_name] = contact.id
    await create(`/audiences/${audienceId}/subscribe`, {
      contact_id: contact.id,
      source: 'form',
      wording_version: 'footer-2026-01',
      evidence: { page: 'https://www.acme.test/newsletter' },
    })
  }
  await create(`/contacts/${contacts['Tony']}/suppress`, {
    scope: 'workspace',
    reason: 'complaint',
    source: 'support',
    evidence: { ticket: 'S-17' },
  })
  await create(`/audiences/${audienceId}/unsubscribe`, { contact_id: contacts['Donald'] })
  const { email_template } = await create<{ email_template: { id: string } }>('/email-templates', {
    name: 'Monthly newsletter',
    slug: 'monthly-newsletter',
  })
  const { content_version } = await create<{ content_version: { id: string } }>(
    `/email-templates/${email_template.id}/versions`,
    newsletter,
  )
  return { owner, audienceId, otherAudienceId, contacts, templateId: email_template.id, contentId: content_version.id }
}

/** Connection, domain and sender, with every gate of production sending open. */
export async function openSending(services: Constellation, owner: Api): Promise<string> {
  const { senderId } = await prepareSending(owner, workspace, { base_url: services.baseUrl }, () => undefined)
  return senderId
}

/** Another enabled sender of the domain of `openSending`. */
export async function addSender(services: Constellation, owner: Api): Promise<string> {
  const user = await services.inBrowser('owner')
  const { sending_domains } = await user.ok<{ sending_domains: { id: string }[] }>(
    'GET',
    `${atConsole}/sending-domains`,
  )
  const { sender_identity: sender } = await owner.ok<{ sender_identity: { id: string } }>(
    'POST',
    `${workspace}/sender-identities`,
    {
      sending_domain_id: sending_domains[0]!.id,
      display_name: 'News of Acme',
      from_address: 'news@mail.acme.test',
      reply_to: 'reply@mail.acme.test',
    },
  )
  await owner.ok('POST', `${workspace}/sender-identities/${sender.id}/activate`, {
    confirmation: 'ACTIVATE PRODUCTION SENDING',
  })
  return sender.id
}

/** Opens or closes a gate as the owner of the platform. */
export async function setGate(services: Constellation, name: string, enabled: boolean): Promise<void> {
  const platform = await services.inBrowser('owner')
  await platform.ok('PUT', `/console/api/platform/gates/${name}`, { enabled })
}

/** Members of an audience for days of the past: from four of 300 days ago, one more every 40 days. */
export async function addMemberDays({ stage }: Constellation, audienceId: string): Promise<void> {
  await stage.query(
    `insert into contacts.audience_member_days (workspace_id, audience_id, day, members)
     select workspace_id, id, (now() at time zone 'utc')::date - age, 4 + (300 - age) / 40
       from contacts.audiences, generate_series(1, 300) age where id = $1`,
    [audienceId],
  )
}

/** An entry of the audit log that the consumer of a service could not process, in this schema. */
export async function addDeadLetter({ stage }: Constellation, schema: string, action: string) {
  const [found] = await stage.query<{ id: string }>(`select id from identity.workspaces where slug = 'newsletter'`)
  const event = AuditRecordedSchema
  const subjectId = randomUUID()
  const init = { action, subjectType: 'thing', subjectId, actor: 'editor', detail: {} }
  const failed = { schema, consumer: 'on-audit-recorded', workspaceId: found!.id, event, init }
  return { subjectId, ...(await insertDeadLetter(stage, failed)) }
}

/** A draft of a campaign for the first audience. */
export async function addDraft(world: ConsoleWorld, senderId: string, name: string): Promise<string> {
  const { owner, audienceId, contentId } = world
  const body = { name, audience_id: audienceId, sender_identity_id: senderId, content_version_id: contentId }
  return (await owner.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, body)).campaign.id
}

/** A draft that is scheduled, in an hour if nothing else is said. Answers the id of its run. */
export async function scheduleRun(world: ConsoleWorld, senderId: string, inMs = 3_600_000): Promise<string> {
  const campaignId = await addDraft(world, senderId, 'Spring newsletter')
  const { campaign_run } = await world.owner.ok<{ campaign_run: { id: string } }>(
    'POST',
    `${workspace}/campaign-drafts/${campaignId}/schedule`,
    { scheduled_for: new Date(Date.now() + inMs).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  return campaign_run.id
}

/** A draft that is sent at once, until every message is handed off. */
export async function runCampaign({ stage }: Constellation, world: ConsoleWorld, senderId: string): Promise<string> {
  const runId = await scheduleRun(world, senderId)
  await stage.query('update campaigns.campaign_runs set scheduled_for = now() where id = $1', [runId])
  await until(async () => {
    const answer = await world.owner.ok<{ campaign_run: { state: string } }>(
      'GET',
      `${workspace}/campaign-runs/${runId}`,
    )
    return answer.campaign_run.state === 'completed'
  })
  return runId
}

/** A draft of an automation that greets new members of the other audience. */
export async function addAutomation(world: ConsoleWorld, senderId: string, name = 'Welcome'): Promise<string> {
  const email = { content_version_id: world.contentId, sender_identity_id: senderId }
  const edge = (from: string, to: string) => ({ from, to, branch: 'default' })
  const { automation } = await world.owner.ok<{ automation: { id: string } }>('POST', `${workspace}/automations`, {
    name,
    slug: name.toLowerCase(),
    description: 'Greets new readers',
    definition: {
      trigger: { type: 'audience_subscribed', config: { audience_id: world.otherAudienceId } },
      start_node: 'welcome',
      nodes: [
        { key: 'welcome', type: 'send_email', config: email },
        { key: 'pause', type: 'wait_duration', config: { seconds: 86_400 } },
        { key: 'is-keen', type: 'decision', config: {} },
        { key: 'lesson', type: 'send_email', config: email },
        { key: 'mark', type: 'add_tag', config: { tag: 'vip' } },
        { key: 'end', type: 'end', config: {} },
      ],
      edges: [
        edge('welcome', 'pause'),
        edge('pause', 'is-keen'),
        { from: 'is-keen', to: 'lesson', branch: 'keen', condition: { tag: 'vip', operator: 'exists' } },
        edge('is-keen', 'mark'),
        edge('lesson', 'mark'),
        edge('mark', 'end'),
      ],
    },
  })
  return automation.id
}

/** An uploaded file whose columns are not mapped yet. */
export async function addImport(
  services: Constellation,
  { audienceId }: Pick<ConsoleWorld, 'audienceId'>,
  csv = 'E-Mail,First name,Colour\nmary@people.example.com,Mary,red\n',
): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([csv], { type: 'text/csv' }), 'people.csv')
  form.append('audience_id', audienceId)
  form.append('source_label', 'Old system')
  const headers = { authorization: 'Bearer wallet-session-dev-owner' }
  const answer = await fetch(`${services.baseUrl}${workspace}/imports/csv`, { method: 'POST', headers, body: form })
  if (answer.status !== 201) throw new Error(`the upload answered ${answer.status}: ${await answer.text()}`)
  const { import: job } = (await answer.json()) as { import: { id: string } }
  return job.id
}

/** A second version of the template and of an automation, so that their pages show what changed. */
export async function addVersions({ owner, templateId }: ConsoleWorld, automationId: string): Promise<void> {
  await owner.ok('POST', `${workspace}/email-templates/${templateId}/versions`, {
    ...newsletter,
    subject: 'Four things that got better this month',
    html: newsletter.html.replace('Hello', 'Good morning'),
  })
  const { automation } = await owner.ok<{ automation: { selected_version: { definition: { nodes: unknown[] } } } }>(
    'GET',
    `${workspace}/automations/${automationId}`,
  )
  const { definition } = automation.selected_version
  await owner.ok('POST', `${workspace}/automations/${automationId}/versions`, {
    definition: { ...definition, nodes: [...definition.nodes, { key: 'spare', type: 'end', config: {} }] },
  })
}

/** A completed run whose emails may or may not be at the provider. */
export async function addUnknownRun({ stage }: Constellation, world: ConsoleWorld, senderId: string): Promise<string> {
  const { owner, audienceId, contentId } = world
  const { campaign } = await owner.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, {
    name: 'Lost answers',
    audience_id: audienceId,
    sender_identity_id: senderId,
    content_version_id: contentId,
  })
  const { campaign_run: run } = await owner.ok<{ campaign_run: { id: string } }>(
    'POST',
    `${workspace}/campaign-drafts/${campaign.id}/schedule`,
    { scheduled_for: new Date(Date.now() + 3_600_000).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  const messages = await stage.query<{ id: string; workspace_id: string }>(
    'select id, workspace_id from campaigns.run_recipients where run_id = $1',
    [run.id],
  )
  await insertHandOff(stage, {
    workspaceId: messages[0]!.workspace_id,
    id: randomUUID(),
    originId: run.id,
    messageIds: messages.map(({ id }) => id),
    connectionId: randomUUID(),
    state: 'unknown',
  })
  // The provider knows nothing about these emails; asking it would settle them.
  await stage.query(`update campaigns.hand_offs set next_lookup_at = now() + interval '1 day' where origin_id = $1`, [
    run.id,
  ])
  await stage.query('update campaigns.delivery_batches set done_at = now() where run_id = $1', [run.id])
  await stage.query(
    `update campaigns.campaign_runs set state = 'completed', started_at = now(), completed_at = now() where id = $1`,
    [run.id],
  )
  await stage.query(`update campaigns.campaigns set status = 'sent' where id = $1`, [campaign.id])
  return run.id
}

/** Two preflights, the second after the gate of production sending was opened. Returns the id of the second. */
export async function runPreflights(services: Constellation, { owner }: ConsoleWorld): Promise<string> {
  const run = () => owner.ok<{ preflight: { id: string } }>('POST', `${workspace}/operations/preflight`, {})
  await setGate(services, 'production_sending_enabled', false)
  await run()
  await setGate(services, 'production_sending_enabled', true)
  return (await run()).preflight.id
}
