import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConfig } from '@lettergate/automations/config'
import { schema as automationsSchema } from '@lettergate/automations/migrations'
import { start } from '@lettergate/automations/service'
import type { MoreServices } from '@lettergate/gateway/test/gateway-stage'
import { audience } from '@lettergate/gateway/test/people-and-senders'
import { until } from '@lettergate/stage'
import { commandLine, type CommandLine } from './command-line.ts'
import { importsServices } from './imports-services.ts'
import { reportsStage, type ReportsStage } from './reports-services.ts'

/** With imports and automations every service runs, so that the deployment is ready. */
const others: MoreServices = {
  schemas: [...importsServices.schemas, automationsSchema],
  async boot(stage, targets) {
    const imports = await importsServices.boot(stage, targets)
    // no automation sends here
    const unused = { CAMPAIGNS_DELIVERY_TARGET: '127.0.0.1:9', CAMPAIGNS_WORKER_TARGET: '127.0.0.1:9' }
    const env = { ...targets, ...unused, ROLE: 'api' }
    const { rpcPort } = await stage.boot('automations', start, loadConfig, env)
    return { ...imports, AUTOMATIONS_TARGET: `127.0.0.1:${rpcPort}` }
  },
}

let gateway: ReportsStage
let cli: CommandLine
let audienceId: string
const folder = mkdtempSync(join(tmpdir(), 'lettergate-files-'))
const file = join(folder, 'people.csv')
beforeAll(async () => {
  gateway = await reportsStage(others)
  cli = commandLine(gateway.baseUrl)
  audienceId = await audience(gateway, 'News')
  writeFileSync(file, 'Email,State\nada@example.org,active\ngrace@example.org,left\n')
})
afterAll(async () => {
  cli.remove()
  rmSync(folder, { recursive: true })
  await gateway.close()
})

const upload = async () => {
  const made = await cli('editor', 'import', 'upload', file, '--audience', audienceId, '--label', 'CRM', '--json')
  return (JSON.parse(made.out) as { import: { id: string } }).import.id
}
const watch = (id: string) => cli('analyst', 'import', 'watch', id, '--every', '0.2', '--timeout', '120')

test('a file is uploaded, mapped, watched, approved with the exact phrase, and applied', async () => {
  const id = await upload()
  expect((await cli('editor', 'import', 'map', id, '--column', 'Email', '--policy', 'status_column')).exit).toBe(2)
  const columns = ['--column', 'Email=email', 'State=status', '--status', 'active=subscribed', 'left=unsubscribed']
  columns.push('--evidence', 'export 4711')
  const mapped = await cli('editor', 'import', 'map', id, ...columns, '--policy', 'status_column')
  expect(mapped).toMatchObject({ exit: 0, out: expect.stringContaining(`lettergate import watch ${id}`) })
  const reviewed = await watch(id)
  expect(reviewed).toMatchObject({
    exit: 0,
    out: expect.stringMatching(/^rows_valid +2$/m),
    err: expect.stringMatching(/█.*ready_for_review/),
  })

  const phrase = `APPLY CSV IMPORT ${id} TO acme/newsletter`
  const asked = await cli('admin', 'import', 'approve', id)
  expect(asked).toMatchObject({ exit: 2, err: expect.stringContaining(phrase) })
  expect(asked.err).toMatch(new RegExp(`^audience_id +${audienceId}$`, 'm'))
  expect(asked.err).toContain('To the audience “News”.')
  expect(asked.err).toMatch(/^consent_policy +status_column$/m)
  expect(asked.err).toMatch(/^evidence_reference +export 4711$/m)
  expect((await cli('editor', 'import', 'approve', id, '--confirm', phrase)).exit).toBe(1)
  expect(
    (await cli('admin', 'import', 'approve', id, '--confirm', phrase, '--report-checksum', 'f'.repeat(64))).exit,
  ).toBe(1)
  expect((await cli('admin', 'import', 'approve', id, '--confirm', phrase)).exit).toBe(0)
  expect(await watch(id)).toMatchObject({ exit: 0, out: expect.stringMatching(/^status +completed$/m) })
  expect((await cli('analyst', 'contacts', 'eligibility', 'ada@example.org', audienceId)).exit).toBe(0)
  expect((await cli('analyst', 'import', 'show', id)).out).toContain('reconciliation')
  expect((await cli('analyst', 'import', 'list')).out).toMatch(new RegExp(`^${id} +completed +people\\.csv`, 'm'))
  expect((await cli('editor', 'import', 'retry', id)).exit).toBe(1)
})

test('an import is cancelled only with a confirmation, and a file that is not there is 2', async () => {
  const id = await upload()
  expect((await cli('editor', 'import', 'cancel', id)).exit).toBe(2)
  expect((await cli('editor', 'import', 'cancel', id, '--confirm', 'CANCEL')).exit).toBe(0)
  expect(await watch(id)).toMatchObject({ exit: 5, out: expect.stringMatching(/^status +cancelled$/m) })
  const none = await cli('editor', 'import', 'upload', join(folder, 'no.csv'), '--audience', audienceId, '--label', 'x')
  expect(none).toMatchObject({ exit: 2, err: expect.stringContaining('cannot be read') })
})

test('a run is reported, and an event of it replayed', async () => {
  const { runId, messageIds } = await gateway.accepted(['ben@example.org'])
  const eventId = await gateway.sendEvent(messageIds[0]!, 'delivered')
  const report = await until(async () => {
    const shown = await cli('analyst', 'campaign', 'report', runId)
    return /^delivered +1$/m.test(shown.out) ? shown : undefined
  })
  expect(report).toMatchObject({ exit: 0, out: expect.stringMatching(/^events +\{.*"delivered":1/m) })
  expect(await cli('admin', 'events', 'replay', eventId)).toMatchObject({
    exit: 0,
    out: expect.stringMatching(/^processing_state +processed$/m),
  })
  expect((await cli('editor', 'events', 'replay', eventId)).exit).toBe(1)
})

test('a preflight that is blocked is 5, and says what to do', async () => {
  expect(await cli('analyst', 'preflight', '--latest')).toMatchObject({
    exit: 5,
    out: expect.stringContaining('no report yet'),
  })
  const blocked = await cli('admin', 'preflight')
  expect(blocked).toMatchObject({
    exit: 5,
    out: expect.stringMatching(/^BLOCK {2}.+\n {7}\S.*[\s\S]*The launch is blocked/m),
  })
  const latest = await cli('analyst', 'preflight', '--latest', '--json')
  expect(JSON.parse(latest.out)).toMatchObject({ preflight: { status: 'blocked' } })
  expect((await cli('analyst', 'doctor')).out).toContain('warn  preflight:')
})
