import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Import } from '@lettergate/contracts/imports/v1/imports'
import type { CallScope } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { patient, patiently } from '@lettergate/stage/patiently'
import fc from 'fast-check'
import {
  bytesOf,
  encodingOf,
  headersOf,
  mappingOf,
  policyOf,
  randomFile,
  saidBy,
  statusOf,
  type RandomFile,
} from './random-file.ts'
import { history, openPeople, type Happening, type PersonState, type RandomPeople } from './random-history.ts'
import { isRefused, spelled } from './random-person.ts'
import { openRunning, type RunningStage } from './running-stage.ts'

/**
 * `IMPORT_FILES=1000` tests more files. Each run has a new seed, which is in the name of the test: `SEED` with this number repeats
 * the run. Each workspace takes its stories from the seed and its number.
 */
const filesWanted = Number(process.env['IMPORT_FILES'] ?? 240)
const seed = Number(process.env['SEED'] ?? randomInt(1, 1_000_000_000))

const workspaces = 8
const filesOfStory = 3
const storiesOfWorkspace = Math.ceil(filesWanted / workspaces / filesOfStory)

let s: RunningStage
beforeAll(async () => {
  s = await openRunning()
  await s.worker({ IMPORT_JOBS_AT_ONCE: String(workspaces) })
})
afterAll(() => s.close())

/** Some things happen to people, then a file is imported into one of two audiences. */
interface Chapter {
  happenings: readonly Happening[]
  file: RandomFile
  audience: number
}
const chapter = (happeningsMost: number): fc.Arbitrary<Chapter> =>
  fc.record({ happenings: history(happeningsMost), file: randomFile, audience: fc.nat(1) })
const story = fc.tuple(chapter(12), chapter(5), chapter(5))

/** How often each case came up, so that the test cannot succeed without them. */
const seen = {
  files: 0,
  refusedAndSubscribedByFile: 0,
  newlyEligible: 0,
  refusedByFile: 0,
  erasedAndDeleted: 0,
  duplicates: 0,
  invalid: 0,
  unclear: 0,
}

async function imported(as: CallScope, world: RandomPeople, { file, audience }: Chapter) {
  const bytes = bytesOf(file, (row, canWrite) => spelled(world.people[row.person]!, row.spelling, canWrite))
  const { declared } = encodingOf(file)
  async function* parts() {
    yield { part: { case: 'data' as const, value: bytes } }
    const form = { audienceId: world.audienceIds[audience]!, sourceLabel: 'Old shop', filename: 'people.csv' }
    yield { part: { case: 'form' as const, value: declared === undefined ? form : { ...form, encoding: declared } } }
  }
  const uploaded = (await patiently(() => s.imports.uploadImport(as, parts()))).import!
  const jobId = uploaded.id
  expect(uploaded.headers).toEqual(headersOf(file))
  const mapping = { mapping: mappingOf(file), consentPolicy: file.consentPolicy, policy: policyOf(file) }
  await patiently(() => s.imports.mapImport(as, { jobId, ...mapping }))
  const reached = async (status: string): Promise<Import> => {
    await until(
      async () =>
        (
          await s.stage.query(`select from imports.import_jobs where id = $1 and status in ($2, 'failed')`, [
            jobId,
            status,
          ])
        ).length === 1,
      { timeoutMs: 240_000, everyMs: 40, what: `the import to be ${status}` },
    )
    const found = await patiently(() => s.read(jobId, as))
    expect(found).toMatchObject({ status })
    return found
  }
  const reviewable = await reached('ready_for_review')
  await patiently(() => s.approve(jobId, as))
  return { reviewable, done: await reached('completed') }
}

/** The rows of the workspace, which only this import changes. */
const contentOf = async (as: CallScope) =>
  (
    await s.stage.query<Record<'contacts' | 'grants' | 'reviews' | 'refusals', number>>(
      `select (select count(*)::int from contacts.contacts where workspace_id = $1) as contacts, e.*
         from (select count(*) filter (where kind = 'granted' and reason is null)::int as grants,
                      count(*) filter (where kind = 'granted' and reason = 'review_required')::int as reviews,
                      count(*) filter (where kind in ('withdrawn', 'suppressed'))::int as refusals
                 from contacts.consent_events where workspace_id = $1) e`,
      [as.caller.workspaceId],
    )
  )[0]!
type Content = Awaited<ReturnType<typeof contentOf>>

/** Dry run, apply, reconciliation and the tables must have the same numbers. */
function expectEqualNumbers(
  { file }: Chapter,
  { reviewable, done }: { reviewable: Import; done: Import },
  { before, after }: { before: Content; after: Content },
) {
  const { applied, reconciliation, ...report } = done.report as Record<string, Record<string, number>>
  expect(report).toEqual(reviewable.report)
  expect(done.reportChecksum).toBe(reviewable.reportChecksum)
  const counts = report as unknown as Record<string, number> & { reasons: { reason: string; count: number }[] }
  const of = (...names: string[]) => names.reduce((sum, name) => sum + counts[name]!, 0)
  const decided = [
    'consent_to_record',
    'already_subscribed',
    'suppressions_to_apply',
    'already_refused',
    'blocked_by_suppression',
    'needs_review',
  ]
  expect(counts).toMatchObject({
    rows_total: file.rows.length,
    rows_valid: of('duplicate_rows', ...decided),
  })
  expect(of('rows_valid', 'rows_invalid')).toBe(file.rows.length)
  expect(counts['rows_invalid']).toBeGreaterThanOrEqual(
    file.rows.filter((row) => statusOf(file, row) === undefined).length,
  )

  expect(applied).toEqual({
    contacts_new: of('contacts_new'),
    contacts_existing: of('contacts_existing'),
    consent_recorded: of('consent_to_record'),
    already_subscribed: of('already_subscribed'),
    suppressions_applied: of('suppressions_to_apply'),
    already_refused: of('already_refused'),
    blocked_by_suppression: of('blocked_by_suppression'),
    needs_review: of('needs_review'),
    refused: expect.any(Number),
  })
  expect(reconciliation).toMatchObject({ matches: true, actual: reconciliation!['expected'] })
  expect(after).toEqual({
    contacts: before.contacts + of('contacts_new'),
    grants: before.grants + of('consent_to_record'),
    reviews: before.reviews + (counts.reasons.find(({ reason }) => reason === 'review_required')?.count ?? 0),
    refusals: before.refusals + of('suppressions_to_apply'),
  })
  seen.duplicates += of('duplicate_rows')
  seen.invalid += of('rows_invalid')
}

const refusals = new Set([
  'suppressed_platform',
  'suppressed_workspace',
  'suppressed_audience',
  'consent_withdrawn',
  'consent_under_review',
  'legacy_consent_unverified',
])

const isEligible = (reasons: readonly string[] | undefined) => reasons?.length === 0

/** Compares the eligibility of everybody with what happened before and with what the file says. Remembers the refusals of the file. */
function expectNobodyBroughtBack(world: RandomPeople, told: Chapter, before: PersonState[], after: PersonState[]) {
  for (const [n, person] of world.people.entries()) {
    const rows = told.file.rows.filter((row) => world.people[row.person]! === person)
    const statuses = rows.map((row) => statusOf(told.file, row))
    const said = rows.flatMap((row) => saidBy(told.file, row) ?? [])
    const [isSuppressed, isUnsubscribed] = [statuses.includes('suppressed'), statuses.includes('unsubscribed')]
    const isSubscribed = statuses.includes('subscribed') && said.every((status) => status === 'subscribed')
    for (const audience of [0, 1]) {
      const isTarget = audience === told.audience
      const reasons = before[n]!.reasons[audience]
      const wasEligible = isEligible(reasons)
      const wasRefused = isRefused(person, audience) || (reasons ?? []).some((reason) => refusals.has(reason))
      const isRefusedByFile = isSuppressed || (isUnsubscribed && isTarget)
      const mayBecome = isTarget && isSubscribed && told.file.consentPolicy !== 'review_required'
      const mayBe = !wasRefused && !isRefusedByFile && (wasEligible || mayBecome)
      const now = isEligible(after[n]!.reasons[audience])

      const found = { person: person.address, audience, statuses, was: reasons, is: after[n]!.reasons[audience] }
      expect({ ...found, wasEligible }).toEqual({ ...found, wasEligible: wasEligible && !wasRefused })
      // Otherwise the person could get email as soon as a suppression is resolved.
      const consents = after[n]!.consents - before[n]!.consents
      if (isTarget && (wasRefused || isRefusedByFile)) expect({ ...found, consents }).toEqual({ ...found, consents: 0 })
      expect({ ...found, isEligible: now }).toEqual({ ...found, isEligible: mayBe && (wasEligible || now) })

      if (wasRefused && isTarget && isSubscribed) seen.refusedAndSubscribedByFile += 1
      if (now && !wasEligible) seen.newlyEligible += 1
      if (isRefusedByFile && wasEligible) seen.refusedByFile += 1
      if (person.wasDeletedAfterErasure && isTarget && isSubscribed) seen.erasedAndDeleted += 1
      if (said.includes('unknown') && statuses.includes('subscribed')) seen.unclear += 1
    }
    // No row makes an erased person a contact.
    if (person.isErased && before[n]!.reasons[0] === undefined) continue
    if (isSuppressed) person.isWorkspaceSuppressed = true
    else if (isUnsubscribed) {
      person.isAudienceSuppressed[told.audience] = true
      person.hasWithdrawn[told.audience] = true
    }
  }
}

test(`after any file nobody is eligible who was refused before, and dry run, apply and reconciliation have equal numbers (SEED=${seed})`, async () => {
  const others = await s.workspace('others')
  let stories = 0
  let hasFailed = false

  async function live(as: CallScope, told: readonly Chapter[]): Promise<void> {
    stories += 1
    const rig = { ...s, contacts: patient(s.contacts), audience: (of?: CallScope) => patiently(() => s.audience(of)) }
    const world = await openPeople(rig, { as, others, name: `s${stories}` })
    for (const one of told) {
      await world.live(one.happenings)
      const [statesBefore, before] = [await world.states(), await contentOf(as)]
      const result = await imported(as, world, one)
      const [statesAfter, after] = [await world.states(), await contentOf(as)]
      expectEqualNumbers(one, result, { before, after })
      expectNobodyBroughtBack(world, one, statesBefore, statesAfter)
      seen.files += 1
    }
  }

  const callers: CallScope[] = []
  for (let n = 0; n < workspaces; n += 1) callers.push(await s.workspace(`property-${n}`))
  const runs = callers.map(async (as, n) => {
    const property = fc.asyncProperty(story, async (told) => {
      if (!hasFailed) await live(as, told)
    })
    try {
      await fc.assert(property, { numRuns: storiesOfWorkspace, seed: seed + n, endOnFailure: true })
    } catch (error) {
      hasFailed = true
      throw error
    }
  })
  for (const result of await Promise.allSettled(runs)) if (result.status === 'rejected') throw result.reason
  expect(seen.files).toBeGreaterThanOrEqual(filesWanted)
  for (const [name, times] of Object.entries(seen)) expect({ name, isSeen: times > 0 }).toEqual({ name, isSeen: true })
}, 1_800_000)
