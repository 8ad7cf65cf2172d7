import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { AlertRaisedSchema, AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { CallScope } from '@lettergate/service'
import { until } from '@lettergate/stage'
import type { ConsentProof } from '../../src/consent-record/consent-proof.ts'
import { parseProofKeys } from '../../src/consent-record/proof-signing-keys.ts'
import { proofText } from '../../src/consent-record/proof-text.ts'
import { verifyConsentProof } from '../../src/consent-record/verify-consent-proof.ts'
import { unknownId, openContacts, proofKey, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
const [key] = parseProofKeys(proofKey)
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

const proofOf = async (contactId: string, caller: CallScope = s.us) =>
  (await s.contacts.getConsentProof(caller, { contactId })).proof as unknown as ConsentProof

const verdictOn = (proof: ConsentProof, audienceId = audience) => proof.audiences.find((one) => one.id === audienceId)!

const audited = async (contactId: string) =>
  (await s.announced('audit_recorded'))
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter((one) => one.action === 'consent_proof_exported' && one.subjectId === contactId)

/** Runs statements as a superuser, without triggers. */
async function tamper(statement: string, params: unknown[]) {
  const superuser = new pg.Client({ connectionString: s.stage.adminUrl })
  await superuser.connect()
  await superuser.query('set session_replication_role = replica')
  await superuser.query(statement, params)
  await superuser.end()
}

test('a proof shows wording, evidence, source, actor and time of each event, sealed and signed, right after the event', async () => {
  const contact = await s.contact(s.us, 'Proof@Example.com')
  const { consentEventId } = await s.subscribe(contact, audience)
  const proof = await proofOf(contact)
  expect(verifyConsentProof(proof, key.fingerprint)).toMatchObject({ findings: [], doubts: [] })
  expect(proof.contact).toMatchObject({ id: contact, exists: true, normalized_email: 'proof@example.com' })
  expect(proof.events).toMatchObject([
    {
      event: {
        id: consentEventId,
        kind: 'granted',
        wording_version: 'v1',
        source: 'form',
        actor: 'tester',
        actor_kind: 'human',
        occurred_at: expect.any(String),
      },
      evidence: { state: 'held', content: { ip: '192.0.2.1' } },
      seal: { contact_position: 1, event_id: consentEventId },
    },
  ])
  expect(verdictOn(proof)).toMatchObject({ eligible: true, reasons: [], consent_event_id: consentEventId })
  expect(proof.head).toMatchObject({ workspace_id: s.ours, contact_id: contact, contact_events: 1 })
})

test('each export is in the audit log with the hashes that it carries', async () => {
  const contact = await s.contact()
  await s.subscribe(contact, audience)
  const proofs = [await proofOf(contact), await proofOf(contact)]
  expect((await audited(contact)).map((one) => one.detail)).toEqual(
    proofs.map(({ head }) => ({
      contact_events: 1,
      contact_sha256: head.contact_sha256,
      position: head.position,
      sha256: head.sha256,
      content_sha256: head.content_sha256,
      key_id: 'p1',
    })),
  )
  expect(proofs[1]!.events).toEqual(proofs[0]!.events)
})

test('a proof of a refusal shows every reason with its evidence', async () => {
  const contact = await s.contact(s.us, 'banned-proof@example.com')
  await s.subscribe(contact, audience)
  await s.contacts.unsubscribeContact(s.us, { contactId: contact, audienceId: audience })
  const { suppressionId } = await s.contacts.suppressContact(s.us, {
    contactId: contact,
    scope: 'workspace',
    reason: 'legal',
  })
  const theirs = await s.contact(s.them, 'banned-proof@example.com')
  await s.contacts.suppressContact(s.them, { contactId: theirs, scope: 'platform', reason: 'complaint' })
  const proof = await proofOf(contact)
  expect(verifyConsentProof(proof)).toMatchObject({ findings: [], doubts: [] })
  const [, withdrawn, suppressed] = proof.events.map(({ event }) => event.id)
  const { eligible, reasons } = verdictOn(proof)
  expect(eligible).toBe(false)
  expect(reasons).toMatchObject([
    { reason: 'suppressed_platform', based_on: [{ kind: 'suppression', id: null }] },
    {
      reason: 'suppressed_workspace',
      based_on: [
        { kind: 'suppression', id: suppressionId },
        { kind: 'consent_event', id: suppressed },
      ],
    },
    { reason: 'suppressed_audience', based_on: [{ kind: 'suppression' }, { kind: 'consent_event', id: withdrawn }] },
    { reason: 'consent_withdrawn', based_on: [{ kind: 'consent_event', id: withdrawn }] },
    { reason: 'not_subscribed', based_on: [{ kind: 'membership', id: audience }] },
  ])
  expect(proof.suppressions.map(({ scope, reason }) => [scope, reason])).toEqual([
    ['audience', 'unsubscribe'],
    ['workspace', 'legal'],
    ['platform', 'complaint'],
  ])
  expect(verdictOn(proof, await s.audience())).toBeUndefined()
})

test('a contact without any consent has a proof that shows no consent', async () => {
  const proof = await proofOf(await s.contact())
  expect(verifyConsentProof(proof)).toMatchObject({ findings: [], doubts: [] })
  expect(proof).toMatchObject({ events: [], head: { contact_events: 0, contact_sha256: null } })
  expect(verdictOn(proof).reasons).toEqual([
    { reason: 'consent_missing', based_on: [] },
    { reason: 'not_subscribed', based_on: [] },
  ])
})

test('the proof of a deleted contact can be exported and says that the evidence is erased', async () => {
  const contact = await s.contact()
  await s.subscribe(contact, audience)
  await s.contacts.deleteContact(s.us, { contactId: contact })
  const proof = await proofOf(contact)
  expect(verifyConsentProof(proof)).toMatchObject({ findings: [], doubts: [] })
  expect(proof).toMatchObject({
    contact: { id: contact, exists: false, normalized_email: null },
    events: [{ evidence: { state: 'erased', salt: null, content: null } }],
  })
  expect(verdictOn(proof).reasons.map(({ reason }) => reason)).toContain('contact_missing')
})

test('a record that does not match its seals is not exported and raises an alert', async () => {
  const contact = await s.contact()
  const { consentEventId } = await s.subscribe(contact, audience)
  await proofOf(contact)
  await tamper(`update contacts.consent_events set wording_version = 'v9' where id = $1`, [consentEventId])
  await expect(proofOf(contact)).rejects.toMatchObject({ code: 'failed_precondition', reason: 'consent_record_broken' })
  const raised = (await s.announced('alert_raised')).map(({ payload }) => fromBinary(AlertRaisedSchema, payload))
  expect(raised.at(-1)).toMatchObject({ code: 'consent_record_broken', severity: 'critical' })
  expect(JSON.stringify(raised.at(-1)!.detail)).toContain(consentEventId)
  expect(await audited(contact)).toHaveLength(1)
})

test('an export with too many unsealed events answers unavailable and raises no alert', async () => {
  const contact = await s.contact()
  const tampered = await s.stage.query<{ id: string }>(
    `select id from contacts.consent_events where wording_version = 'v9'`,
  )
  // The record of the previous test stays broken, and every check reports it again.
  const others = async () =>
    (await s.announced('alert_raised'))
      .map(({ payload }) => JSON.stringify(fromBinary(AlertRaisedSchema, payload).detail))
      .filter((detail) => !tampered.some(({ id }) => detail.includes(id)))
  const alerts = await others()
  const sealer = new pg.Client({ connectionString: s.stage.adminUrl })
  await sealer.connect()
  await sealer.query("select pg_advisory_lock(hashtextextended('seal consent record ' || $1, 0))", [s.ours])
  await s.stage.query(
    `insert into contacts.consent_events (workspace_id, id, contact_id, kind, scope, audience_id, source, wording_version,
            actor, actor_kind, correlation_id, occurred_at)
     select $1, gen_random_uuid(), $2, 'granted', 'audience', $3, 'form', 'v1', 'tester', 'human', 'c', now()
       from generate_series(1, 5001)`,
    [s.ours, contact, audience],
  )
  const exported = Promise.allSettled([proofOf(contact)])
  const waits = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'"
  await until(async () => (await s.stage.query(waits)).length > 0, { everyMs: 5, what: 'the export that waits' })
  await sealer.end()
  expect(await exported).toMatchObject([
    { status: 'rejected', reason: { code: 'unavailable', reason: 'consent_record' } },
  ])
  expect(await others()).toEqual(alerts)
})

test('a contact of another tenant and an unknown contact answer not_found', async () => {
  const foreign = await s.contact(s.them)
  await s.subscribe(foreign, await s.audience(s.them), s.them)
  for (const id of [foreign, unknownId, 'x'])
    await expect(proofOf(id)).rejects.toMatchObject({ code: 'not_found', reason: 'contact' })
})

test('every proof shows one snapshot of the record, also with concurrent writes', async () => {
  const contact = await s.contact()
  const exports: Promise<ConsentProof>[] = []
  for (let round = 0; round < 6; round += 1) {
    exports.push(proofOf(contact))
    await s.subscribe(contact, audience)
    exports.push(proofOf(contact))
    await s.contacts.unsubscribeContact(s.us, { contactId: contact, audienceId: audience })
    exports.push(proofOf(contact))
    // resolved on the record, else the next consent would be refused
    for (const { id } of await s.suppressions(contact))
      await s.contacts.resolveSuppression(s.us, { suppressionId: id, resolutionReason: 'asked again' })
  }
  for (const proof of await Promise.all(exports))
    expect(verifyConsentProof(proof)).toMatchObject({ findings: [], doubts: [] })
})

test('the current and the old signing keys are shown with their fingerprints, never with the seed', async () => {
  const older = `p0:${Buffer.alloc(32, 9).toString('base64url')}`
  const rotated = await s.boot({ CONSENT_PROOF_SIGNING_KEY: `${proofKey},${older}` })
  const client = await s.stage.client(ContactsConsent, rotated.rpcPort)
  const { keys } = await client.listConsentProofKeys(s.us, {})
  expect(keys.map(({ keyId, fingerprint }) => [keyId, fingerprint])).toEqual(
    parseProofKeys(`${proofKey},${older}`).map((one) => [one.keyId, one.fingerprint]),
  )
  expect(JSON.stringify(keys)).not.toContain(older.split(':')[1])
})

test('make verify-consent prints the verdict with its reasons and exits with status 1 on any doubt', async () => {
  const contact = await s.contact(s.us, 'words@example.com')
  await s.subscribe(contact, audience)
  const proof = await proofOf(contact)
  const folder = mkdtempSync(join(tmpdir(), 'proof-'))
  const run = async (file: unknown, ...more: string[]) => {
    const path = join(folder, 'proof.json')
    writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file))
    const root = new URL('../../../../', import.meta.url).pathname
    try {
      const args = ['--silent', '--no-print-directory', 'verify-consent', `FILE=${path}`, ...more]
      // no database and no network: nothing of this environment is handed on
      const env = { PATH: `${root}node_modules/.bin:/usr/bin:/bin` }
      return { status: 0, words: (await promisify(execFile)('make', args, { cwd: root, env })).stdout }
    } catch (error) {
      const { code: status, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { status, words: stdout + stderr }
    }
  }
  const fingerprint = `KEY_FINGERPRINT=${key.fingerprint}`
  const intact = await run({ proof }, fingerprint)
  expect(intact).toMatchObject({ status: 0, words: expect.stringContaining('INTACT') })
  for (const part of ['words@example.com', 'MAY be mailed, by event 1', 'wording v1', 'by tester (human)'])
    expect(intact.words).toContain(part)
  expect(intact.words).toMatch(/^INTACT\./)
  expect(await run(proof)).toMatchObject({ status: 0, words: expect.stringContaining('compare the fingerprint') })
  const changed = structuredClone(proof)
  changed.events[0]!.event['wording_version'] = 'v9'
  expect((await run(changed)).words).toMatch(/^NOT INTACT[\s\S]*Event 1 .* was changed after it was sealed/)
  expect((await run(changed)).words).not.toMatch(/be mailed|words@example\.com/)
  for (const [file, ...more] of [[changed], [proof, `KEY_FINGERPRINT=${'0'.repeat(64)}`], ['{'], [{}]] as const)
    expect((await run(file, ...more)).status).toBeGreaterThan(0)
})

test('make verify-consent shows the audiences with a record of the contact, and with ALL=true all audiences', async () => {
  const caller = s.as(await s.workspace())
  const contact = await s.contact(caller, 'some@example.com')
  const [joined, left, suppressed, never] = [
    await s.audience(caller),
    await s.audience(caller),
    await s.audience(caller),
    await s.audience(caller),
  ]
  await s.subscribe(contact, joined, caller)
  await s.subscribe(contact, left, caller)
  await s.contacts.unsubscribeContact(caller, { contactId: contact, audienceId: left })
  await s.contacts.suppressContact(caller, {
    contactId: contact,
    scope: 'audience',
    audienceId: suppressed,
    reason: 'manual',
  })
  const proof = await proofOf(contact, caller)
  const words = (showsEveryAudience: boolean) =>
    proofText(verifyConsentProof(proof), { isKeyNamed: false, showsEveryAudience })
  for (const id of [joined, left, suppressed]) expect(words(false)).toContain(`(${id}):`)
  expect(words(false)).not.toContain(`(${never}):`)
  expect(words(false)).toContain('Not for 1 other audiences')
  for (const id of [joined, left, suppressed, never]) expect(words(true)).toContain(`(${id}):`)
})
