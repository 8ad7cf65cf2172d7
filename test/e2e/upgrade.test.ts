import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openApi, signInAs, type Api } from '@lettergate/demo/api'
import { inboxOf } from '@lettergate/demo/inbox'
import { newsletter } from '@lettergate/demo/newsletter'
import { prepareSending } from '@lettergate/demo/prepare-sending'
import { migrate } from '@lettergate/database/migrate'
import { migratorRole } from '@lettergate/database/roles'
import { schemas } from '@lettergate/single/schemas'
import { until } from '@lettergate/stage'
import { loadConfig } from '@lettergate/stage/config'
import { roleUrl } from '@lettergate/stage/roles'
import { scratchDirectory } from '@lettergate/stage/scratch-directory'
import { queryOf, workspace } from './erased-people.ts'
import { ownStack, type OwnStack } from './own-stack.ts'
import { checkOut, previousRelease, type PreviousRelease } from './previous-release.ts'
import { startSequence, type RunningSequence } from './running-sequence.ts'

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
let operator: Api
/** Contacts in automations. The first one is in it from the previous release on, the second one from this one on. */
const sequences: RunningSequence[] = []
/** Subjects of the messages to those contacts that the provider forgot when it was stopped. */
const mailed = new Map<string, string[]>()

beforeAll(async () => {
  if (name === undefined) return
  previous = checkOut(name, join(scratchDirectory('lettergate-previous-', loadConfig().stacksDirectory), 'checkout'))
  stack = await ownStack({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' })
  await stack.ok('up', {}, previous.directory)
  const { base_url: baseUrl } = stack.stack()
  api = openApi(baseUrl, { authorization: 'Bearer wallet-session-dev-owner' })
  operator = openApi(baseUrl, await signInAs('owner', baseUrl))
  ;({ senderId } = await prepareSending(api, workspace, stack.stack(), () => undefined))
}, 15 * minutes)
afterAll(async () => {
  await Promise.all([api?.close(), operator?.close()])
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

/** A contact that goes round in a published automation: a wait, a change of its score, a decision. */
async function enrolled(slug: string) {
  const query = (...parameters: [string, unknown[]?]) => queryOf(stack!.stack().database_url, ...parameters)
  sequences.push(await startSequence({ api, operator, query }, { slug, senderId }))
}
/** Every contact goes round in its automation. */
const allMoveOn = () => Promise.all(sequences.map((sequence) => sequence.movesOn()))

async function rememberMessages() {
  for (const { email } of sequences) {
    const subjects = (await inboxOf(stack!.stack(), email)).map(({ subject }) => subject)
    mailed.set(email, [...(mailed.get(email) ?? []), ...subjects])
  }
}

withPrevious(
  'the services of the previous release work on the schema of this one',
  async () => {
    await enrolled('enrolled-before')
    const { database_url: databaseUrl } = stack!.stack()
    for (const schema of Object.values(schemas)) await migrate(roleUrl(databaseUrl, migratorRole), schema)
    await delivered(await scheduled('before@example.org', 3))
    await allMoveOn()
  },
  10 * minutes,
)

withPrevious(
  'the services of this release continue what the previous one began',
  async () => {
    const path = await scheduled('meanwhile@example.org', 20)
    await rememberMessages()
    await stack!.ok('down', {}, previous!.directory)
    await stack!.ok('up')
    await delivered(path)
    await allMoveOn()
    await enrolled('enrolled-after')
    await delivered(await scheduled('after@example.org', 3))
  },
  10 * minutes,
)

withPrevious(
  'after a rollback the services of the previous release continue what this one began',
  async () => {
    const path = await scheduled('rolled-back@example.org', 20)
    await rememberMessages()
    await stack!.ok('down')
    await stack!.ok('up', {}, previous!.directory)
    await delivered(path)
    await allMoveOn()
    const { contact } = await api.ok<{ contact: { email: string } }>(
      'GET',
      `${workspace}/contacts/lookup?email=after@example.org`,
    )
    expect(contact.email).toBe('after@example.org')
  },
  10 * minutes,
)

withPrevious(
  'each step of the contacts in automations happened once',
  async () => {
    for (const sequence of sequences) expect(await sequence.finish()).toBe(2)
    await rememberMessages()
    expect(mailed).toEqual(
      new Map([
        ['enrolled-before@example.org', ['enrolled-before', 'enrolled-before']],
        ['enrolled-after@example.org', ['enrolled-after', 'enrolled-after']],
      ]),
    )
  },
  5 * minutes,
)
