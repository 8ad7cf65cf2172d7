// make bench: what the main job can do here, each figure beside what its parts can do alone in the same run.
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openApi } from '@lettergate/local/demo/api'
import { prepareSending } from '@lettergate/local/demo/prepare-sending'
import { loadConfig } from '@lettergate/local/launcher/config'
import { down } from '@lettergate/local/launcher/down'
import type { Stack } from '@lettergate/local/launcher/state'
import { up } from '@lettergate/local/launcher/up'
import { freePort } from '@lettergate/stage/ports'
import { drive } from './drive.ts'
import { deliveryFloor, openFloor, snapshotFloor } from './floors.ts'
import { show, type Result } from './result.ts'

const recipients = 100_000
const seconds = 10
const signingKey = 'dev-webhook-signing-key'
const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
const headers = { authorization: 'Bearer wallet-session-dev-owner' }

const say = (line: string) => process.stdout.write(`${line}\n`)
const tell = (line: string) => say(`  ${line}`)
const directory = mkdtempSync(join(tmpdir(), 'lettergate-bench-'))
chmodSync(directory, 0o755)
const config = loadConfig({
  LETTERGATE_STATE_DIR: directory,
  LETTERGATE_PORT: String(await freePort()),
  ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
  VALIDATE_RESPONSES: 'false',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_WEBHOOK_PER_MINUTE: '100000000',
})

async function measure(): Promise<Result[]> {
  const stack = await up(config, tell)
  const api = openApi(stack.base_url, headers)
  const look = new pg.Client({ connectionString: stack.database_url })
  look.on('error', (error) => tell(`the database went away: ${error.message}`))
  await look.connect()
  const { senderId } = await prepareSending(api, workspace, stack, tell)
  const floor = await openFloor(stack.database_url, signingKey)
  const results: Result[] = []

  tell('upserts, 32 connections')
  const person = (n: number) =>
    JSON.stringify({ email: `Person.${n % 50_000}@Example.test`, first_name: `Name ${n}`, source: 'bench' })
  const upsertFloor = await drive(floor.origin, {
    connections: 32,
    seconds,
    call: (n) => ({ path: '/upsert', headers: {}, body: person(n) }),
  })
  const upserts = await drive(stack.base_url, {
    connections: 32,
    seconds,
    call: (n) => ({ path: `${workspace}/contacts/upsert`, headers, body: person(n) }),
  })
  results.push({
    name: 'contact upserts',
    unit: '/s',
    ours: upserts.perSecond,
    floor: upsertFloor.perSecond,
    floorIs: 'express 5 and one upsert',
    note: failuresOf(upserts.failures),
  })

  tell('provider webhooks, 32 connections')
  const [connection] = (await look.query<{ id: string }>('select id from sending.provider_connections limit 1')).rows
  const signed = () => {
    const [timestamp, token] = [String(Math.floor(Date.now() / 1000)), randomBytes(25).toString('hex')]
    const signature = createHmac('sha256', signingKey)
      .update(timestamp + token)
      .digest('hex')
    return JSON.stringify({
      signature: { timestamp, token, signature },
      'event-data': {
        id: randomUUID(),
        event: 'delivered',
        timestamp: Date.now() / 1000,
        'user-variables': { message_id: randomUUID() },
      },
    })
  }
  const webhookFloor = await drive(floor.origin, {
    connections: 32,
    seconds,
    call: () => ({ path: '/webhook', headers: {}, body: signed() }),
  })
  const webhooks = await drive(stack.base_url, {
    connections: 32,
    seconds,
    call: () => ({ path: `/webhooks/mailprovider/${connection!.id}`, headers: {}, body: signed() }),
  })
  results.push({
    name: 'provider webhooks',
    unit: '/s',
    ours: webhooks.perSecond,
    floor: webhookFloor.perSecond,
    floorIs: 'express 5, HMAC and one insert',
    note: failuresOf(webhooks.failures),
  })

  tell(`filling an audience with ${recipients} members`)
  const audience = (
    await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
      name: 'Bench',
      slug: 'bench',
      purpose: 'measure',
    })
  ).audience.id
  await look.query(
    `with made as (
       insert into contacts.contacts (workspace_id, id, email, normalized_email, first_name)
       select a.workspace_id, gen_random_uuid(), 'bench.' || n || '+silent@example.test', 'bench.' || n || '+silent@example.test', 'Bench ' || n
         from contacts.audiences a, generate_series(1, $2::int) n where a.id = $1 returning workspace_id, id)
     insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active, consent, consent_changed_at)
     select workspace_id, $1, id, true, 'granted', now() from made`,
    [audience, recipients],
  )
  await look.query('analyze')

  const html = `<html><body><p>Hello {{ first_name }}</p>${'<p style="color:#1f2937">A paragraph about things that got better this month.</p>'.repeat(640)}<a href="{{ unsubscribe_url }}">Unsubscribe</a></body></html>`
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: 'Bench', slug: 'bench' },
  )
  const { content_version: content } = await api.ok<{ content_version: { id: string } }>(
    'POST',
    `${workspace}/email-templates/${template.id}/versions`,
    { subject: 'Hello {{ first_name }}', html, personalization_defaults: { first_name: 'friend' } },
  )
  const { campaign } = await api.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, {
    name: 'Bench',
    audience_id: audience,
    sender_identity_id: senderId,
    content_version_id: content.id,
  })

  tell(`snapshot of ${recipients}`)
  const snapshotFloorRate = await snapshotFloor(floor.pool, recipients)
  const began = performance.now()
  const { campaign_run: run } = await api.ok<{ campaign_run: { id: string; included_count: number } }>(
    'POST',
    `${workspace}/campaign-drafts/${campaign.id}/schedule`,
    { scheduled_for: new Date(Date.now() + 45_000).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  const snapshotSeconds = (performance.now() - began) / 1_000
  if (run.included_count !== recipients) throw new Error(`the snapshot has ${run.included_count} recipients`)
  results.push({
    name: 'snapshot through the API',
    unit: 'rows/s',
    ours: recipients / snapshotSeconds,
    floor: snapshotFloorRate,
    floorIs: 'cursor to unnest insert in one database',
    note: ['campaigns-delivery', 'contacts-consent']
      .map((name) => `${name} at most ${peakMemoryMb(stack, name)} MB`)
      .join(', '),
  })

  tell(`delivery of ${recipients}, ${Math.round(html.length / 1024)} kB each`)
  const deliveryFloorRate = await deliveryFloor(floor.pool, stack.provider_url, { subject: 'Hello', html })
  for (let told = ''; ; await sleep(1_000)) {
    const { campaign_run: now } = await api.ok<{ campaign_run: { state: string; sent_count: number } }>(
      'GET',
      `${workspace}/campaign-runs/${run.id}`,
    )
    if (now.state === 'completed') break
    const line = `${now.state}: ${now.sent_count}`
    if (line !== told) tell(`  ${line}`)
    told = line
  }
  const { report } = await api.ok<{ report: { started_at: string; completed_at: string; sent: number } }>(
    'GET',
    `${workspace}/campaign-runs/${run.id}/report`,
  )
  const deliverySeconds = (Date.parse(report.completed_at) - Date.parse(report.started_at)) / 1_000
  results.push({
    name: 'messages handed off',
    unit: '/s',
    ours: report.sent / deliverySeconds,
    floor: deliveryFloorRate,
    floorIs: 'claim, call, settle in hundreds',
    note: 'with eligibility, outbox and one worker',
  })

  await floor.close()
  await look.end()
  await api.close()
  return results
}

/** The most that a process has ever held, where the system tells (Linux). */
function peakMemoryMb(stack: Stack, name: string): string {
  const { pid } = stack.processes.find((running) => running.name === name && running.role !== 'worker')!
  const path = `/proc/${pid}/status`
  const peak = existsSync(path) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(path, 'utf8'))?.[1] : undefined
  return peak === undefined ? 'unknown' : String(Math.round(Number(peak) / 1024))
}

const failuresOf = (failures: number) => (failures === 0 ? '' : `${failures} FAILED`)

try {
  const results = await measure()
  say(`\n${cpus().length} cores, PostgreSQL and everything else on this machine\n\n${show(results)}`)
} catch (error) {
  process.exitCode = 1
  process.stderr.write(
    `\nThe benchmark could not go on: ${(error as Error).message}\nLogs were in ${directory}/logs; LETTERGATE_BENCH_KEEP=true keeps them.\n`,
  )
} finally {
  await down(config, () => undefined)
  if (config.environment.LETTERGATE_BENCH_KEEP !== 'true') rmSync(directory, { recursive: true, force: true })
}
process.exit()
