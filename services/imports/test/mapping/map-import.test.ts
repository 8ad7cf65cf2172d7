import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sha256Of } from '@lettergate/canonical-json'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { unknownId } from '../imports-stage.ts'
import { evidence, openMapping, type MappingStage } from './mapping-stage.ts'

let s: MappingStage
beforeAll(async () => {
  s = await openMapping()
})
afterAll(() => s.close())

const headers = ['Email', 'Name', 'State', 'Plan', 'Name', '']
const mapping = { Email: 'email', '#2': 'first_name', State: 'status', Plan: 'custom.plan' }
const email = { Email: 'email' }
const review = { consentPolicy: 'review_required', mapping: email, policy: {} }

const refusal = (request: Parameters<MappingStage['imports']['mapImport']>[1]) =>
  s.imports.mapImport(s.us, request).then(
    () => 'accepted',
    (error: { code: string; reason: string; message: string }) => `${error.code} ${error.reason}: ${error.message}`,
  )

test('a mapping is stored with its policy, and the dry run is queued', async () => {
  const jobId = await s.uploaded(headers)
  const policy = {
    ...evidence,
    default_status: 'pending',
    static_tags: [' vip ', 'vip'],
    status_values: { Yes: 'subscribed' },
  }
  const { import: mapped } = await s.imports.mapImport(s.us, {
    jobId: jobId.toUpperCase(),
    mapping,
    consentPolicy: 'explicit_opt_in',
    policy: { ...policy, unknown: 1, consent_basis: ' consent ' },
  })
  expect(mapped).toMatchObject({
    id: jobId,
    status: 'dry_run_queued',
    mapping,
    consentPolicy: 'explicit_opt_in',
    policy: { ...policy, static_tags: ['vip'] },
    report: {},
    attemptCount: 0,
  })
  const rows = await s.stage.query<{ payload: Buffer }>(
    `select payload from imports.outbox where event = 'audit_recorded'`,
  )
  const audited = rows
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter(({ subjectId, action }) => subjectId === jobId && action === 'import_mapped')
  expect(audited.map(({ detail }) => detail)).toEqual([
    {
      consent_policy: 'explicit_opt_in',
      mapping_checksum: sha256Of({ mapping, policy: { ...policy, static_tags: ['vip'] } }),
    },
  ])
})

test('a repeat queues the dry run again', async () => {
  const jobId = await s.uploaded(headers)
  for (const repeat of [1, 2]) {
    const { import: mapped } = await s.imports.mapImport(s.us, { jobId, ...review })
    expect([repeat, mapped?.status]).toEqual([repeat, 'dry_run_queued'])
  }
})

test.each(['dry_run_queued', 'dry_run_running', 'ready_for_review', 'failed'])(
  'another mapping of an import that is %s ends its report, its worker and its error',
  async (status) => {
    const jobId = await s.uploaded(headers)
    await s.stage.query(
      `update imports.import_jobs set status = $2, report = '{"rows_total": 5}', report_checksum = 'abc',
              progress = '{"phase": "evaluate", "rows_done": 3, "rows_total": null}', error = '{"reason": "x", "message": "y"}',
              lease_holder = 'w', lease_until = now() + interval '1 minute', mapping = '{"Name": "email"}', attempt_count = 2
        where id = $1`,
      [jobId, status],
    )
    const before = await s.job(jobId)
    const { import: mapped } = await s.imports.mapImport(s.us, { jobId, ...review })
    expect(mapped).toMatchObject({ status: 'dry_run_queued', mapping: email, report: {}, attemptCount: 2 })
    for (const field of ['reportChecksum', 'approvalChecksum', 'error'])
      expect(mapped).not.toHaveProperty(field, expect.anything())
    // The worker of the older dry run finds another epoch, so it stores nothing.
    expect(await s.job(jobId)).toMatchObject({ epoch: Number(before['epoch']) + 1, lease_holder: null, progress: null })
  },
)

test.each([
  ['apply_queued', /^failed_precondition import_status: This import is approved/],
  ['applying', /^failed_precondition import_status: This import is approved/],
  ['failed', /^failed_precondition import_status: This import is approved/],
])('the mapping of an approved import that is %s cannot change', async (status, message) => {
  const jobId = await s.uploaded(headers)
  await s.stage.query(
    `update imports.import_jobs set status = $2, approval_checksum = 'abc', error = '{"reason": "x", "message": "y"}' where id = $1`,
    [jobId, status],
  )
  const before = await s.job(jobId)
  expect(await refusal({ jobId, ...review })).toMatch(message)
  expect(await s.job(jobId)).toEqual(before)
})

test.each([null, 'abc'])('the mapping of an import that has ended cannot change: approval %s', async (approval) => {
  const jobId = await s.uploaded(headers)
  await s.stage.query('update imports.import_jobs set approval_checksum = $2 where id = $1', [jobId, approval])
  await s.imports.cancelImport(s.us, { jobId })
  expect(await refusal({ jobId, ...review })).toMatch(
    /^failed_precondition import_status: This import is cancelled, so it cannot be mapped/,
  )
})

test('an import whose time is over cannot be mapped, also before the sweep', async () => {
  const jobId = await s.uploaded(headers)
  await s.stage.query(`update imports.import_jobs set expires_at = now() - interval '1 second' where id = $1`, [jobId])
  expect(await refusal({ jobId, ...review })).toMatch(/^failed_precondition import_status: This import has expired/)
  expect(await s.job(jobId)).toMatchObject({ status: 'uploaded' })
})

test('a missing import and one of another workspace are the same', async () => {
  const theirs = await s.stored(undefined, s.them)
  for (const jobId of [theirs, unknownId, 'x'])
    expect(await refusal({ jobId, ...review })).toBe('not_found import: There is no such import.')
})

test.each<[string, object, RegExp]>([
  ['another consent policy', { consentPolicy: 'yes' }, /^invalid_argument consent_policy: .*review_required/],
  ['no email', { mapping: { Plan: 'company' } }, /^invalid_argument mapping: .*target email/],
  ['an unknown header', { mapping: { ...email, Mail: 'ignore' } }, /mapping: the file has no header "Mail"/],
  ['a position beyond the file', { mapping: { ...email, '#7': 'ignore' } }, /mapping: the file has no header "#7"/],
  [
    'an unknown target',
    { mapping: { ...email, Plan: 'plan' } },
    /"Plan" has the unknown target "plan".*custom\.<field_key>/,
  ],
  ['a wrong field key', { mapping: { ...email, Plan: 'custom.Plan!' } }, /unknown target "custom.Plan!"/],
  [
    'a repeated header',
    { mapping: { ...email, Name: 'first_name' } },
    /columns #2 \("Name"\) and #5 \("Name"\) .*first_name.*"#2"/,
  ],
  [
    'two columns with one target',
    { mapping: { ...email, Plan: 'company', State: 'company' } },
    /columns #3 .* and #4 /,
  ],
  ['two targets of one column', { mapping: { ...email, Plan: 'company', '#4': 'phone' } }, /column #4 has two targets/],
  ['a field that is not defined', { mapping: { ...email, Plan: 'custom.plans' } }, /custom\.plans is not defined/],
  ['status_column without a status', { consentPolicy: 'status_column' }, /target status/],
  [
    'explicit_opt_in without its evidence',
    { consentPolicy: 'explicit_opt_in', policy: { ...evidence, wording_version: ' ', consent_basis: null } },
    /^invalid_argument policy: policy: consent_basis is required.*\n.*wording_version is required/,
  ],
  ['a wrong default status', { policy: { default_status: 'Subscribed' } }, /policy: default_status must be one of/],
  ['a wrong meaning', { policy: { status_values: { yes: 'ok' } } }, /policy: status_values: "yes" must be one of/],
  [
    'another meaning of a status',
    { policy: { status_values: { ' Unsubscribed': 'subscribed' } } },
    /policy: status_values: " Unsubscribed" always means itself/,
  ],
  [
    'two meanings of one cell',
    { policy: { status_values: { Yes: 'subscribed', 'yes ': 'pending' } } },
    /"yes " has two meanings/,
  ],
  ['meanings that are no object', { policy: { status_values: ['yes'] } }, /policy: status_values must be an object/],
  ['tags that are no list', { policy: { static_tags: 'vip' } }, /policy: static_tags must be a list/],
  ['empty tags', { policy: { static_tags: [' '] } }, /policy: static_tags must be texts/],
  ['too many tags', { policy: { static_tags: Array.from({ length: 51 }, (_, n) => `tag ${n}`) } }, /more than 50 tags/],
  ['evidence that is no text', { policy: { consent_source: 1 } }, /policy: consent_source must be a text/],
  ['long evidence', { policy: { consent_source: 'x'.repeat(501) } }, /consent_source .*500/],
  ['an unknown profile', { profileId: unknownId }, /^invalid_argument profile_id: /],
  ['a profile id that is none', { profileId: 'mailchimp' }, /^invalid_argument profile_id: /],
  ['an empty name', { saveProfileName: ' ' }, /^invalid_argument save_profile_name: /],
  ['a long name', { saveProfileName: 'x'.repeat(161) }, /^invalid_argument save_profile_name: /],
  ['the name of a built-in profile', { saveProfileName: 'ghost members' }, /^conflict save_profile_name: /],
])('refuses %s, names it and changes nothing', async (_name, part, message) => {
  const jobId = await s.uploaded(headers)
  const before = await s.job(jobId)
  expect(await refusal({ jobId, ...review, ...part })).toMatch(message)
  expect(await s.job(jobId)).toEqual(before)
})

test('one refusal names every problem: of the mapping, the policy, undefined fields and the name of the profile', async () => {
  const jobId = await s.uploaded(headers)
  const message = await refusal({
    jobId,
    mapping: { Mail: 'email', Plan: 'x', Name: 'custom.plans' },
    consentPolicy: 'status_column',
    policy: { default_status: 'x', status_values: { yes: 'ok' } },
    saveProfileName: ' ',
  })
  const problems = [
    '"Mail"',
    '"Plan"',
    'target status',
    'default_status',
    'status_values',
    'custom.plans is not defined',
    '#2 ("Name")',
    'save_profile_name',
  ]
  for (const named of problems) expect(message).toContain(named)
  const other = await refusal({ jobId, mapping: { Mail: 'email' }, consentPolicy: 'yes', policy: { static_tags: 'x' } })
  for (const named of ['"Mail"', 'consent_policy', 'static_tags']) expect(other).toContain(named)
})

test('a header that the file does not have is answered with its headers, the nearest one, and how they were read', async () => {
  const jobId = await s.uploaded(headers)
  expect(await refusal({ jobId, ...review, mapping: { 'E-Mail': 'email' } })).toContain(
    'the file has no header "E-Mail". Did you mean "Email"? Its headers, read with commas between cells, are "Email", "Name", "State", "Plan", "Name", "".',
  )
  const many = await s.uploaded(['Email', ...Array.from({ length: 40 }, (_, n) => `Column ${n}`)])
  expect(await refusal({ jobId: many, ...review, mapping: { Zip: 'email' } })).toMatch(/"Column 18", and 21 more\./)
  const one = await s.uploaded(['Email|Name'])
  expect(await refusal({ jobId: one, ...review })).toContain(
    'Its only header is "Email|Name": no commas, semicolons or tabs were found between cells.',
  )
})

test('several columns can hold tags, and repeated and empty headers can be ignored or named by position', async () => {
  const jobId = await s.uploaded(['Email', 'Tag', 'Tag', '', ''])
  const { import: mapped } = await s.imports.mapImport(s.us, {
    jobId,
    ...review,
    mapping: { Email: 'email', Tag: 'tags', '': 'ignore', '#4': 'ignore' },
  })
  expect(mapped?.mapping).toEqual({ Email: 'email', Tag: 'tags', '': 'ignore', '#4': 'ignore' })
})

test('headers with the names of object properties are headers like others', async () => {
  const jobId = await s.uploaded(['Email', 'constructor', '__proto__'])
  expect(await refusal({ jobId, ...review, mapping: { Email: 'email', toString: 'company' } })).toMatch(
    /the file has no header "toString"/,
  )
  const { import: mapped } = await s.imports.mapImport(s.us, {
    jobId,
    ...review,
    mapping: { Email: 'email', constructor: 'company' } as never,
  })
  expect(mapped?.mapping).toEqual({ Email: 'email', constructor: 'company' })
})

test('an import for an audience that was archived since cannot be mapped', async () => {
  const audienceId = await s.audience()
  const jobId = await s.uploaded(headers, audienceId)
  await s.contacts.archiveAudience(s.us, { audienceId })
  expect(await refusal({ jobId, ...review })).toMatch(/^failed_precondition audience_id: .*archived/)
  expect(await s.job(jobId)).toMatchObject({ status: 'uploaded' })
})

test('of simultaneous mappings the last one counts, whole', async () => {
  const jobId = await s.uploaded(headers)
  const all = [
    { jobId, consentPolicy: 'review_required', mapping: email, policy: { default_status: 'subscribed' } },
    { jobId, consentPolicy: 'status_column', mapping, policy: { default_status: 'pending' } },
  ]
  await Promise.all([...all, ...all].map((request) => s.imports.mapImport(s.us, request)))
  const job = await s.job(jobId)
  expect(job).toMatchObject({ status: 'dry_run_queued', epoch: 5 })
  expect(all.map(({ consentPolicy, mapping, policy }) => ({ consentPolicy, mapping, policy }))).toContainEqual({
    consentPolicy: job['consent_policy'],
    mapping: job['mapping'],
    policy: job['policy'],
  })
})
