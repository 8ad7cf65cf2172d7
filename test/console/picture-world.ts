import { randomBytes, randomUUID } from 'node:crypto'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import type { Constellation } from '@lettergate/e2e/constellation'
import { publishAutomation, subscribe } from './published.ts'
import { addAutomation, addDeadLetter, addDraft, runCampaign, setGate, workspace, type ConsoleWorld } from './world.ts'

/** A file of the other audience with this name, after its dry run. Needs a worker of imports. */
async function reviewedImport(services: Constellation, { owner, otherAudienceId }: ConsoleWorld, filename: string) {
  const rows = [
    'E-Mail,First name,Status',
    ...Array.from({ length: 40 }, (_, index) => `reader${index}@${filename}.example.com,Reader ${index},active`),
    'tony@people.example.com,Tony,active',
    'gone@people.example.com,Gone,left',
    'nobody,No,active',
    'mary@people.example.com,Mary,perhaps',
  ]
  const form = new FormData()
  form.append('file', new Blob([`${rows.join('\n')}\n`], { type: 'text/csv' }), filename)
  form.append('audience_id', otherAudienceId)
  form.append('source_label', 'Old system')
  const answer = await fetch(`${services.baseUrl}${workspace}/imports/csv`, {
    method: 'POST',
    headers: { authorization: 'Bearer wallet-session-dev-owner' },
    body: form,
  })
  if (answer.status !== 201) throw new Error(`the upload answered ${answer.status}: ${await answer.text()}`)
  const { import: job } = (await answer.json()) as { import: { id: string } }
  const path = `${workspace}/imports/csv/${job.id}`
  await owner.ok('PATCH', `${path}/mapping`, {
    mapping: { 'E-Mail': 'email', 'First name': 'first_name', Status: 'status' },
    consent_policy: 'status_column',
    policy: { status_values: { active: 'subscribed', left: 'unsubscribed' }, consent_source: 'form of the old system' },
  })
  await until(
    async () => (await owner.ok<{ import: { status: string } }>('GET', path)).import.status === 'ready_for_review',
  )
  return job.id
}

/** An import that was applied. It is written as it would be, because an apply needs an environment in which nothing can send. */
async function appliedImport(services: Constellation, world: ConsoleWorld): Promise<string> {
  const id = await reviewedImport(services, world, 'members.csv')
  const counts = { contacts_new: 41, consents_in_record: 40, memberships_added: 40, suppressions_added: 1 }
  await services.stage.query(
    `update imports.import_jobs set status = 'completed', sealed_key = null, completed_at = now(), approved_by_wallet_id = 'owner',
            approval_checksum = report_checksum, report = report || $2::jsonb where id = $1`,
    [id, JSON.stringify({ applied: counts, reconciliation: { matches: true, expected: counts, actual: counts } })],
  )
  return id
}

/** A published automation with somebody in it. Needs a worker of automations. */
async function publishedAutomation(services: Constellation, world: ConsoleWorld, senderId: string): Promise<string> {
  const { owner } = world
  const id = await addAutomation(world, senderId, 'Greeting')
  await publishAutomation(services, world, id)
  for (const name of ['Ada', 'Grace']) await subscribe(world, name)
  await until(async () => {
    const { enrollments } = await owner.ok<{ enrollments: { current_node_key: string | null }[] }>(
      'GET',
      `${workspace}/automations/${id}/enrollments`,
    )
    return enrollments.length === 2 && enrollments.every(({ current_node_key }) => current_node_key !== 'welcome')
  })
  return id
}

/** A draft of a campaign, and the run of another that begins in an hour. */
async function addCampaigns(world: ConsoleWorld, senderId: string) {
  const draft = (name: string) => addDraft(world, senderId, name)
  const { campaign_run } = await world.owner.ok<{ campaign_run: { id: string } }>(
    'POST',
    `${workspace}/campaign-drafts/${await draft('Autumn newsletter')}/schedule`,
    { scheduled_for: new Date(Date.now() + 3_600_000).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  const draftId = await draft('Summer newsletter')
  await world.owner.ok('POST', `${workspace}/campaign-drafts/${draftId}/versions`, {
    name: 'Summer newsletter with a sale',
    audience_id: world.otherAudienceId,
    sender_identity_id: senderId,
    content_version_id: world.contentId,
    notes: 'The sale begins on Monday',
  })
  return { draftId, scheduledRunId: campaign_run.id }
}

/** Two alerts, and an event that a service could not process. */
async function addTrouble(services: Constellation): Promise<void> {
  const { stage } = services
  const [found] = await stage.query<{ id: string }>(`select id from identity.workspaces where slug = 'newsletter'`)
  for (const [code, severity, summary] of [
    ['run_overdue', 'warning', 'A run starts late.'],
    ['webhook_signing_key_missing', 'critical', 'The signing key of a connection is missing.'],
  ] as const)
    await stage.publish(
      'campaigns-delivery',
      AlertRaisedSchema,
      { code, severity, summary, detail: {} },
      { workspaceId: found!.id },
    )
  await until(async () => (await stage.query('select 1 from identity.alerts')).length === 2)
  await addDeadLetter(services, 'campaigns', 'thing_lost')
}

/** What only the pictures show, and the address of each page of it. */
export async function openPictureWorld(
  services: Constellation,
  world: ConsoleWorld,
  senderId: string,
): Promise<Record<string, string>> {
  await addTrouble(services)
  await world.owner.ok('PUT', `${workspace}/campaign-webhook`, {
    campaign_webhook_url: `${services.baseUrl}/hook`,
    campaign_webhook_secret: `whsec_${randomBytes(32).toString('base64')}`,
  })
  const { draftId, scheduledRunId } = await addCampaigns(world, senderId)
  const publishedId = await publishedAutomation(services, world, senderId)
  await setGate(services, 'test_sends_enabled', true)
  await setGate(services, 'rate_limit_enabled', false)
  await runCampaign(services, world, senderId)
  const empty = [
    ['contacts', 'tags', 'suppressions', 'imports', 'runs', 'templates', 'automations'],
    ['testing', 'provider-events', 'webhook', 'sources'],
  ].flat()
  return {
    'campaign-draft': `/w/acme/newsletter/campaigns/${draftId}`,
    'campaign-draft-edit': `/w/acme/newsletter/campaigns/${draftId}/edit`,
    'import-review': `/w/acme/newsletter/imports/${await reviewedImport(services, world, 'readers.csv')}`,
    'import-done': `/w/acme/newsletter/imports/${await appliedImport(services, world)}`,
    'scheduled-run': `/w/acme/newsletter/runs/${scheduledRunId}`,
    'published-automation': `/w/acme/newsletter/automations/${publishedId}`,
    ...Object.fromEntries(empty.map((name) => [`empty-${name}`, `/w/acme/product/${name}`])),
    'mailed-contact': `/w/acme/newsletter/contacts/${world.contacts['Ada']}`,
    'archived-home': '/w/acme/synthetic-lab',
    'nothing-here': '/w/acme/newsletter/nothing-here',
    'missing-contact': `/w/acme/newsletter/contacts/${randomUUID()}`,
  }
}
