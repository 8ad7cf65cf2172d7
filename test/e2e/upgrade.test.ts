import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openApi, type Api } from '@lettergate/demo/api'
import { newsletter } from '@lettergate/demo/newsletter'
import { prepareSending } from '@lettergate/demo/prepare-sending'
import { migrate } from '@lettergate/database/migrate'
import { migratorRole } from '@lettergate/database/roles'
import { schemas } from '@lettergate/single/schemas'
import { until } from '@lettergate/stage'
import { loadConfig } from '@lettergate/stage/config'
import { roleUrl } from '@lettergate/stage/roles'
import { scratchDirectory } from '@lettergate/stage/scratch-directory'
import { ownStack, type OwnStack } from './own-stack.ts'
import { checkOut, previousRelease, type PreviousRelease } from './previous-release.ts'

const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
const minutes = 60_000
const name = previousRelease()
if (name === undefined)
  process.stderr.write('upgrade test skipped: there is no earlier release (no tag v* before this commit)\n')
const notRun = (what: string) =>
  test(`not run, because there is no earlier release: ${what}`, () => {
    expect(previousRelease()).toBeUndefined()
  })
const withPrevious: (what: string, run: () => Promise<void>, timeoutMs?: number) => void =
  name === undefined ? notRun : test

let previous: PreviousRelease | undefined
let stack: OwnStack | undefined
let senderId: string
let api: Api

beforeAll(async () => {
  if (name === undefined) return
  previous = checkOut(name, join(scratchDirectory('lettergate-previous-', loadConfig().stacksDirectory), 'checkout'))
  stack = await ownStack({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' })
  await stack.ok('up', {}, previous.directory)
  api = openApi(stack.stack().base_url, { authorization: 'Bearer wallet-session-dev-owner' })
  ;({ senderId } = await prepareSending(api, workspace, stack.stack(), () => undefined))
}, 15 * minutes)
afterAll(async () => {
  await api?.close()
  await stack?.close()
  previous?.remove()
}, 5 * minutes)

/** A contact with consent and a campaign for it. Returns the path of its run. */
async function scheduled(email: string, inSeconds: number): Promise<string> {
  const slug = `u-${randomUUID()}`
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: slug,
    slug,
    purpose: 'test',
  })
  const { contact } = await api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
    email,
    source: 'test',
  })
  const consent = { contact_id: contact.id, source: 'test', wording_version: '1' }
  await api.ok('POST', `${workspace}/audiences/${audience.id}/subscribe`, consent)
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: slug, slug },
  )
  const { content_version: content } = await api.ok<{ content_version: { id: string } }>(
    'POST',
    `${workspace}/email-templates/${template.id}/versions`,
    newsletter,
  )
  const { campaign } = await api.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, {
    name: slug,
    audience_id: audience.id,
    sender_identity_id: senderId,
    content_version_id: content.id,
  })
  const { campaign_run: run } = await api.ok<{ campaign_run: { id: string } }>(
    'POST',
    `${workspace}/campaign-drafts/${campaign.id}/schedule`,
    { scheduled_for: new Date(Date.now() + inSeconds * 1_000).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  return `${workspace}/campaign-runs/${run.id}`
}

/** Waits until the message was handed over once, and the webhook of the provider is in the report. */
const delivered = (path: string) =>
  until(
    async () => {
      const { report } = await api.ok<{ report: Record<string, number> }>('GET', `${path}/report`)
      return report['sent'] === 1 && report['delivered'] === 1
    },
    { timeoutMs: 5 * minutes, what: `the report of ${path}` },
  )

withPrevious(
  'the services of the previous release work on the schema of this one',
  async () => {
    const { database_url: databaseUrl } = stack!.stack()
    for (const schema of Object.values(schemas)) await migrate(roleUrl(databaseUrl, migratorRole), schema)
    await delivered(await scheduled('before@example.org', 3))
  },
  10 * minutes,
)

withPrevious(
  'the services of this release continue what the previous one began',
  async () => {
    const path = await scheduled('meanwhile@example.org', 20)
    await stack!.ok('down', {}, previous!.directory)
    await stack!.ok('up')
    await delivered(path)
    await delivered(await scheduled('after@example.org', 3))
  },
  10 * minutes,
)

withPrevious(
  'after a rollback the services of the previous release continue what this one began',
  async () => {
    const path = await scheduled('rolled-back@example.org', 20)
    await stack!.ok('down')
    await stack!.ok('up', {}, previous!.directory)
    await delivered(path)
    const { contact } = await api.ok<{ contact: { email: string } }>(
      'GET',
      `${workspace}/contacts/lookup?email=after@example.org`,
    )
    expect(contact.email).toBe('after@example.org')
  },
  10 * minutes,
)
