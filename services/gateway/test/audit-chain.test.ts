import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from './console-session.ts'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

const log = '/console/api/platform/audit-log'
const directory = mkdtempSync(join(tmpdir(), 'audit-chain-'))

let gateway: GatewayStage
let administrator: Browser
let superuser: pg.Client
beforeAll(async () => {
  gateway = await gatewayStage({ AUDIT_CHECK_EVERY_MS: '100' })
  administrator = await signIn(gateway, 'platform')
  superuser = new pg.Client({ connectionString: gateway.stage.adminUrl })
  await superuser.connect()
  await superuser.query('set session_replication_role = replica')
})
afterAll(async () => {
  await superuser.end()
  rmSync(directory, { recursive: true })
  await gateway.close()
})

const getAuditLogHead = async () =>
  (await administrator.call('GET', `${log}/head`)).json as { position: number; sha256: string | null }

/** Records entries and waits until they are sealed. Answers their ids. */
async function sealed(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) {
    const init = { action: 'tag_registered', subjectType: 'tag', subjectId: randomUUID(), actor: 'ada', detail: { n } }
    ids.push(await gateway.stage.publish('contacts-consent', AuditRecordedSchema, init))
  }
  await until(async () => {
    const seals = await gateway.stage.query('select from identity.audit_seals where entry_id = any($1::uuid[])', [ids])
    return seals.length === count
  })
  return ids
}

async function chainFile(after = 0): Promise<{ file: string; text: string }> {
  const { text, status } = await administrator.call('GET', `${log}/chain?after=${after}`)
  expect(status).toBe(200)
  const file = join(directory, `${randomUUID()}.ndjson`)
  writeFileSync(file, text)
  return { file, text }
}

const root = new URL('../../..', import.meta.url).pathname
const exec = promisify(execFile)
/** The status of a failed program of make is 2. The services of this process go on meanwhile. */
async function verify(file: string, ...more: string[]): Promise<{ status: number; words: string }> {
  try {
    const args = ['--silent', '--no-print-directory', 'verify-audit-log', `FILE=${file}`, ...more]
    const { MAKEFLAGS: _, ...env } = process.env
    return { status: 0, words: (await exec('make', args, { cwd: root, env })).stdout }
  } catch (error) {
    const { code: status, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { status, words: `${stdout}${stderr}` }
  }
}

test('the exported chain has every entry, continues an earlier file, and verifies without the service', async () => {
  const ids = await sealed(3)
  const { position, sha256 } = await getAuditLogHead()
  const { file, text } = await chainFile()
  for (const id of ids) expect(text).toContain(id)
  expect(await verify(file, `HEAD=${sha256!}`)).toEqual({ status: 0, words: expect.stringMatching(/^INTACT\./) })

  const [later] = await sealed(1)
  const next = await chainFile(position)
  expect(next.text).toContain(later)
  for (const id of ids) expect(next.text).not.toContain(id)
  expect(await verify(next.file)).toEqual({ status: 0, words: expect.stringContaining('verify that file too') })

  writeFileSync(file, text.replace('"actor": "ada"', '"actor": "eve"').replace('"actor":"ada"', '"actor":"eve"'))
  expect(await verify(file)).toEqual({
    status: 2,
    words: expect.stringMatching(/^NOT INTACT[^]*changed after it was sealed/),
  })
  expect(await verify('')).toMatchObject({ status: 2, words: expect.stringContaining('Which file?') })
})

test('no role of a service changes or removes a seal', async () => {
  await sealed(1)
  for (const statement of ['update identity.audit_seals set sha256 = sha256', 'delete from identity.audit_seals'])
    await expect(gateway.stage.query(statement)).rejects.toThrow(/never changed or removed/)
})

test('an entry that an administrator of the database changed, and removed ends of the chain, raise audit_log_broken', async () => {
  const [id] = await sealed(2)
  const checkNow = () => gateway.stage.query('update identity.audit_log_checks set due_at = now()')
  const known = async () =>
    Number(
      (
        await gateway.stage.query<{ known: string }>('select known_position as known from identity.audit_log_checks')
      )[0]!.known,
    )
  const end = (await getAuditLogHead()).position
  const problems = async () =>
    (
      await gateway.stage.query<{ detail: { first: { problem: string }[] } }>(
        `select detail from identity.alerts where code = 'audit_log_broken'`,
      )
    ).flatMap(({ detail }) => detail.first)
  await checkNow()
  await until(async () => (await known()) >= end)
  expect(await problems()).toEqual([])

  await superuser.query(`update identity.audit_log set actor = 'eve' where id = $1`, [id])
  await checkNow()
  await until(async () =>
    (await problems()).some(({ problem }) => problem === 'the entry was changed after it was sealed'),
  )
  await superuser.query(`update identity.audit_log set actor = 'ada' where id = $1`, [id])

  await superuser.query('delete from identity.audit_seals where position = $1', [end])
  await checkNow()
  await until(async () => (await problems()).some(({ problem }) => /removed from the end|not the one/.test(problem)))
})

test('is for owners and administrators of the platform only', async () => {
  const owner = await signIn(gateway, 'wsowner')
  for (const path of ['head', 'chain']) expect((await owner.call('GET', `${log}/${path}`)).status).toBe(403)
  expect((await administrator.call('GET', `${log}/chain?after=-1`)).status).toBe(422)
})
